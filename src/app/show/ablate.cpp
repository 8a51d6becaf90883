#include "app/show/ablate.h"

#include <cmath>

#include "app/measure/eval.h"
#include "app/show/ablate_views.h"
#include "autograd/autograd.h"
#include "look/switches.h"

namespace jogak {
namespace {

class Study {
 public:
  Study(const InspectSubject& subject, const AblateCommand& c)
      : c_(c), subject_(subject), input_(subject.input(c.input)) {
    subject_.add_labels(input_, c.input);
    out_.what = "ablate", out_.model_type = subject_.model().model_type, out_.lang = c.lang;
    out_.title =
        text_of(out_.model_type, ": ", c.lang == Lang::ko ? "전과 후" : "before and after");
  }

  Inspection run() {
    const NoGrad quiet;
    const Answers before = pass(input_, nullptr);
    if (!c_.each.empty()) return each(before);
    const Answers after = c_.patch.empty() ? without(c_.off) : patched();
    out_.facts.emplace_back(c_.patch.empty() ? "off" : "patch",
                            c_.patch.empty() ? c_.off : c_.patch);
    show_change(subject_, input_.names, before, after, c_.top, out_);
    return std::move(out_);
  }

 private:
  Answers pass(const InspectInput& input, Probe* probe) const {
    Run run;
    run.stop = c_.stop;
    run.probe = probe;
    ForwardOutputs made = forward(subject_.model(), input.inputs(), run);
    Answers out{made.named.at(0).second};
    if (made.loss.defined()) out.loss = item(made.loss);
    return out;
  }

  Answers without(const std::string& parts) const {
    Ablation off(parse_switches(parts));
    Answers out = pass(input_, &off);
    off.check_used();
    return out;
  }

  Answers patched() {
    InspectInput other = subject_.input(c_.from);
    subject_.add_labels(other, c_.from);
    Patch patch(parse_switches(c_.patch), c_.at);
    out_.facts.emplace_back("from_loss", number_json(pass(other, &patch).loss));
    patch.give();
    return pass(input_, &patch);
  }

  // Every part of one kind by itself: what the loss is without it, or where there is none (vectors,
  // a forecast of what is not known) how far the answers lie from those with it.
  Inspection each(const Answers& before) {
    Recorder seen({.attention = false});
    pass(input_, &seen);
    std::vector<EachPart> parts = parts_of(seen.steps, c_.each);
    ensure<UsageError>(!parts.empty(), "--each: the model has no ", c_.each);
    const bool lossless = std::isnan(before.loss);
    for (EachPart& part : parts) {
      const Answers after = without(part.text);
      part.change = lossless ? distance(before, after) : after.loss - before.loss;
    }
    out_.facts.emplace_back("each", c_.each);
    out_.facts.emplace_back("loss_before", number_json(before.loss));
    show_each(parts, c_.each, lossless ? EachMeasure::distance : EachMeasure::loss, out_);
    return std::move(out_);
  }

  const AblateCommand& c_;
  const InspectSubject& subject_;
  InspectInput input_;
  Inspection out_;
};

// The loss over a whole data set, with everything on and without parts.
class DataStudy {
 public:
  DataStudy(const InspectSubject& subject, const AblateCommand& c) : c_(c), subject_(subject) {
    eval_.directory = c.directory, eval_.data = c.data, eval_.lang = c.lang;
    eval_.loss_only = true;
    out_.what = "ablate", out_.model_type = subject_.model().model_type, out_.lang = c.lang;
    out_.title = text_of(out_.model_type, ": ",
                         c.lang == Lang::ko ? "데이터 전체의 손실" : "the loss over the data");
    out_.facts.emplace_back("data", c.data);
  }

  Inspection run() {
    const double before = loss_of(evaluate(subject_.model(), eval_));
    if (!c_.each.empty()) return each(before);
    const double after = without(c_.off);
    out_.facts.emplace_back("off", c_.off);
    show_losses(before, after, out_);
    return std::move(out_);
  }

 private:
  double without(const std::string& parts) const {
    Ablation off(parse_switches(parts));
    EvalOptions options = eval_;
    options.probe = &off;
    const double loss = loss_of(evaluate(subject_.model(), options));
    off.check_used();
    return loss;
  }

  Inspection each(double before) {
    const NoGrad quiet;
    Recorder seen({.attention = false});
    Run run;
    run.probe = &seen;
    forward(subject_.model(), subject_.input_or_any({}).inputs(), run);
    std::vector<EachPart> parts = parts_of(seen.steps, c_.each);
    ensure<UsageError>(!parts.empty(), "--each: the model has no ", c_.each);
    for (EachPart& part : parts) part.change = without(part.text) - before;
    out_.facts.emplace_back("each", c_.each);
    out_.facts.emplace_back("loss_before", before);
    show_each(parts, c_.each, EachMeasure::loss, out_);
    return std::move(out_);
  }

  const AblateCommand& c_;
  const InspectSubject& subject_;
  EvalOptions eval_;
  Inspection out_;
};

void check_choice(const AblateCommand& c) {
  const int chosen = !c.off.empty() + !c.each.empty() + !c.patch.empty();
  ensure<UsageError>(chosen == 1, "wanted one of --off PARTS, --each PART and --patch PARTS");
  ensure<UsageError>(
      c.patch.empty() == c.from.empty(),
      "--patch needs another input to take values from: --from TEXT, or --from-input FILE");
  ensure<UsageError>(c.data.empty() || (c.patch.empty() && c.input.empty()),
                     "--data goes with --off or --each, and with no other input");
}

}  // namespace

Inspection ablate(const AblateCommand& c) {
  check_choice(c);
  return ablate(InspectSubject(c.directory), c);
}

Inspection ablate(const InspectSubject& subject, const AblateCommand& c) {
  check_choice(c);
  return c.data.empty() ? Study(subject, c).run() : DataStudy(subject, c).run();
}

}  // namespace jogak
