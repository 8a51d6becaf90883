#!/usr/bin/env bash
# Every family learns: run.sh SOURCE JOGAK FAMILY trains a small model and fails unless its score on
# data it never saw passes the figure below. Each takes seconds.
set -euo pipefail
source=$(realpath "$1") jogak=$(realpath "$2") family=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

# value KEY < JSON: a number of the last line.
value() { tail -n 1 | sed -n "s/.*\"$1\":\([-+0-9.eE]*\).*/\1/p"; }
# passes NAME FOUND RELATION WANTED: prints the line, fails when the relation does not hold.
passes() {
  echo "$family: $1 $2, wanted $3 $4"
  awk -v a="$2" -v b="$4" "BEGIN { exit !(a != \"\" && a $3 b) }"
}
train() { "$jogak" train "$@" --out run --json 2>log.txt || { cat log.txt; exit 1; }; }
evaluate() { "$jogak" eval run --json "$@" 2>log.txt || { cat log.txt; exit 1; }; }

# A decoder puts letters in order; knowing where the spaces are, and no more, gives about 1.8.
decoder() {
  cat >decoder.toml <<TOML
[model]
family = "$family"
preset = "tiny"
${2:-}
[tokenizer]
type = "char"
[data]
make = "sort"
count = 4000
valid_count = 100
[train]
steps = ${steps:-500}
batch = 32
lr = 3e-3
warmup = 20
eval_every = 500
TOML
  train decoder.toml >/dev/null
  passes "loss of sorted letters" "$(evaluate --make sort --count 200 | value loss)" '<' "$1"
}

# Kin of BERT fill in hidden characters; their frequencies alone give 3.17.
masked() {
  cat >masked.toml <<TOML
[model]
family = "$family"
preset = "tiny"
max_position_embeddings = 64
$1
[tokenizer]
type = "char"
[data]
kind = "masked-lines"
make = "dates"
count = 20000
valid_count = 100
[train]
steps = 600
batch = 16
lr = 4e-3
min_lr = 1e-4
warmup = 50
weight_decay = 0.01
eval_every = 600
TOML
  train masked.toml >/dev/null
  passes "loss of hidden characters" "$(evaluate --make dates --count 300 | value loss)" '<' 2.0
}

# An encoder-decoder writes dates otherwise; the frequencies of the characters alone give about 2.
pairs() {
  cat >pairs.toml <<TOML
[model]
family = "$family"
preset = "tiny"
$2
[tokenizer]
type = "char"
[data]
kind = "pairs"
make = "dates"
count = 4000
valid_count = 100
[train]
steps = 500
batch = 32
lr = 2e-3
warmup = 50
eval_every = 500
TOML
  train pairs.toml >/dev/null
  passes "loss of dates" "$(evaluate --make dates --count 200 | value loss)" '<' "$1"
}

case $family in
  gpt2) decoder 1.2 $'embd_pdrop = 0.0\nattn_pdrop = 0.0\nresid_pdrop = 0.0' ;;
  llama) decoder 1.0 ;;
  marian) family=seq2seq pairs 0.3 'dropout = 0.0' ;;
  t5) pairs 0.3 'dropout_rate = 0.0' ;;
  bart | mbart) pairs 0.3 'dropout = 0.0' ;;
  m2m_100) pairs 0.3 $'dropout = 0.0\nattention_dropout = 0.0\nencoder_layerdrop = 0.0\ndecoder_layerdrop = 0.0' ;;
  bert-mlm)  # the frequencies of the characters alone give 3.17
    train "$source/recipes/bert-mlm.toml" --steps 600 >/dev/null
    passes "loss of hidden characters" "$(evaluate --make dates --count 300 | value loss)" '<' 2.0
    ;;
  bert-cls)
    train "$source/recipes/bert-cls.toml" >/dev/null
    evaluate --make dates --count 500 >scores.json
    passes "accuracy of months" "$(value accuracy <scores.json)" '>' 0.9
    passes "F1 of months" "$(value f1 <scores.json)" '>' 0.9
    ;;
  bert-answers)
    train "$source/recipes/bert-answers.toml" >/dev/null
    evaluate --make dates --count 200 >scores.json
    passes "exact answers" "$(value exact_match <scores.json)" '>' 0.9
    passes "F1 of answers" "$(value f1 <scores.json)" '>' 0.9
    found=$("$jogak" answer run --question month "Friday, May 9th, 2031 = 2031-05-09" | cut -f 1)
    passes "the month" "$found" '==' 05
    ;;
  bert-tags)  # names after "Ms", places after "in", of words that training never held; most are O
    for part in "train 3000 1" "valid 100 2" "test 200 3"; do
      set -- $part
      awk -v count="$2" -v seed="$3" 'BEGIN {
        srand(seed)
        split("ka no ri su te mo la hi du pe", part, " ")
        for (i = 0; i < count; ++i) {
          name = part[int(rand() * 10) + 1] part[int(rand() * 10) + 1] part[int(rand() * 10) + 1]
          place = part[int(rand() * 10) + 1] part[int(rand() * 10) + 1] part[int(rand() * 10) + 1]
          if (rand() < 0.5) print "Ms\tO\n" name "\tB-PER\n" name "\tI-PER\nsaw\tO\nit\tO"
          print "in\tO\n" place "\tB-LOC\nthere\tO\nis\tO\n" name "\tO\n"
        }
      }' >"$1.tsv"
    done
    train "$source/recipes/bert-tags.toml" --set data.train=train.tsv \
      --set data.valid=valid.tsv --set tokenizer.vocab_size=80 >/dev/null
    evaluate --data test.tsv >scores.json
    passes "accuracy of tags" "$(value accuracy <scores.json)" '>' 0.95
    passes "F1 of entities" "$(value f1 <scores.json)" '>' 0.9
    tags=$("$jogak" classify run --words "Ms norika norika saw it in sumola there is norika" |
      cut -f 2 | tr '\n' ' ')
    passes "tags of a sentence" "$tags" '==' 'O B-PER I-PER O O O B-LOC O O O  '
    ;;
  vit)
    train "$source/recipes/vit-shapes.toml" >/dev/null
    passes "accuracy of shapes" "$(evaluate --make shapes --count 600 | value accuracy)" '>=' 0.95
    ;;
  clip)  # of sixteen captions the picture's own, twelve kinds of them; by chance 0.09
    train "$source/recipes/clip-shapes.toml" >/dev/null
    evaluate --make shapes --count 480 >scores.json
    passes "captions found for pictures" "$(value image_to_text <scores.json)" '>=' 0.75
    passes "pictures found for captions" "$(value text_to_image <scores.json)" '>=' 0.75
    "$jogak" data make shapes shapes --count 12 --seed 99 >/dev/null
    found=$("$jogak" classify run shapes/circle/*.png shapes/square/*.png --label "a large filled circle" \
      --label "a small filled circle" --label "a large filled square" --label "a small filled square" \
      --label "a large drawn circle" --label "a small drawn circle" --label "a large drawn square" \
      --label "a small drawn square" | grep -c 'circle.*circle\|square.*square')
    passes "pictures of eight with the right shape" "$found" '>=' 7
    ;;
  patchtst | patchtsmixer | timesfm)
    cp "$source/recipes/patchtst-series.toml" series.toml
    [ "$family" != timesfm ] || sed -i 's/^prediction_length/horizon_length/' series.toml
    train series.toml --set model.family="$family" >/dev/null
    evaluate --make series >scores.json
    passes "windows of the test part" "$(value windows <scores.json)" '==' 577
    repeat=$(value mse_repeat <scores.json)
    passes "squared error, repeating $repeat" "$(value mse <scores.json)" '<' \
      "$(awk -v r="$repeat" 'BEGIN { print r / 5 }')"
    ;;
  lab)  # its three wirings and the recurrent model beside it
    decoder 1.2 $'wiring = "decoder"\nnorm_place = "pre"'
    rm -rf run && masked $'wiring = "encoder"\nnorm_place = "pre"'
    rm -rf run && pairs 0.3 'norm_place = "pre"'
    rm -rf run && pairs 0.3 'mixer = "gru-attention"'
    ;;
  gemma) steps=1200 decoder 1.2 ;;  # it learns more slowly at this size
  opt) decoder 1.2 'dropout = 0.0' ;;
  roberta) masked $'hidden_dropout_prob = 0.0\nattention_probs_dropout_prob = 0.0' ;;
  xlm_roberta)
    family=xlm-roberta
    masked $'hidden_dropout_prob = 0.0\nattention_probs_dropout_prob = 0.0'
    ;;
  distilbert) masked $'dropout = 0.0\nattention_dropout = 0.0' ;;
  electra)
    masked $'hidden_dropout_prob = 0.0\nattention_probs_dropout_prob = 0.0'
    "$jogak" train "$source/recipes/electra-replaced.toml" --out found --json \
      --set data.generator=run >found.json 2>log.txt || { cat log.txt; exit 1; }
    passes "loss of replaced characters, 0.40 by their share alone" "$(value valid_loss <found.json)" '<' 0.38
    ;;
  modernbert) masked "" ;;
  mpnet) masked $'hidden_dropout_prob = 0.0\nattention_probs_dropout_prob = 0.0' ;;
  deberta_v2)
    family=deberta-v2
    masked $'hidden_dropout_prob = 0.0\nattention_probs_dropout_prob = 0.0\nposition_buckets = 32'
    ;;
  deit | dinov2)  # a token more learns later than ViT
    train "$source/recipes/vit-shapes.toml" --set model.family="$family" --steps 1200 >/dev/null
    passes "accuracy of shapes" "$(evaluate --make shapes --count 600 | value accuracy)" '>=' 0.95
    ;;
  *) decoder 1.2 ;;  # any other decoder, without a dropout of its own
esac
