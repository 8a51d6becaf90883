// The Korean of warnings and notes, as error_table.cpp has that of errors.
#include "base/korean/message.h"

namespace jogak {
namespace {

constexpr KoreanLine kWarnings[] = {
    {"the same {} more time{}: {}", "같은 경고 {0}번 더: {2}"},
    {"{} threads on {} processor{}: more than there are do not help{}",
     "프로세서 {1}개에 스레드 {0}개: 프로세서보다 많으면 도움이 되지 않습니다{3}"},

    // writing texts
    {"{} is not known and has no effect{}", "모르는 키 {0}: 아무 효과가 없습니다{1}"},
    {"{} is not read beside {}", "{1}이(가) 있으면 {0}은(는) 읽지 않습니다"},
    {"{} has no effect: nothing is drawn, --temp above 0 does",
     "{0}은(는) 효과가 없습니다: 뽑는 것이 없습니다. --temp를 0보다 크게 하면 뽑습니다"},
    {"images of {} x {}, where positions were learnt for {} x {}: they are spread over the other "
     "grid",
     "그림은 {0} x {1}인데 위치는 {2} x {3}에 맞춰 배웠습니다. 다른 격자에 펼쳐 씁니다"},
    {"a text of {} tokens, but the model was made for {}: what comes after may be worse",
     "글이 {0}토큰인데 모델은 {1}토큰까지로 만들어졌습니다: 그 뒤는 나빠질 수 있습니다"},
    {"the text ends after {} tokens: the model has no positions for more",
     "글은 {0}토큰에서 끝납니다: 모델에 위치가 더 없습니다"},
    {"{} has more than {} tokens and is cut: the model reads {}",
     "{0}은(는) {1}토큰이 넘어 잘렸습니다: 모델이 읽는 것은 {2}토큰입니다"},
    {"{} has {} tokens and is cut: the model reads {}",
     "{0}은(는) {1}토큰이라 잘렸습니다: 모델이 읽는 것은 {2}토큰입니다"},
    {"line {} is longer than the model reads, {} tokens: translated in {} pieces",
     "{0}번째 줄은 모델이 읽는 {1}토큰보다 깁니다: {2}조각으로 나누어 번역했습니다"},

    // several processes
    {"gradients and weights pass through the host's memory, not from GPU to GPU: {}",
     "기울기와 가중치는 GPU에서 GPU로 바로 가지 않고 호스트의 메모리를 거칩니다: {0}"},
    {"processes {} and {} share a GPU ({})",
     "프로세스 {0}과(와) {1}이(가) GPU 하나({2})를 함께 씁니다"},
    {"process {} computes on no GPU", "프로세스 {0}은(는) GPU로 계산하지 않습니다"},
    {"train.micro_batches = {}: {} processes share a step; one process with the same setting ends "
     "with the same bits",
     "train.micro_batches = {0}: 프로세스 {1}개가 스텝을 나눕니다; 같은 설정이면 프로세스 하나도 "
     "비트까지 같습니다"},
    {"process {} of {} uses {}, the first {}: bits may differ from those of one process",
     "프로세스 {1}개 중 {0}번은 {2}, 첫 프로세스는 {3}를 씁니다: 하나일 때와 비트가 다를 수 "
     "있습니다"},

    // data
    {"{} files are passed over: their names end neither with .png nor with .jpg",
     "파일 {0}개는 지나칩니다: 이름이 .png로도 .jpg로도 끝나지 않습니다"},
    {"series {} is constant in its training rows; its size is kept",
     "시계열 {0}은(는) 학습하는 행에서 변하지 않습니다; 크기를 그대로 둡니다"},
    {"{} missing value{} filled {}, the first in {}",
     "빠진 값 {0}개를 채웠습니다: {2}. 처음 것은 {3}"},
    {"{} gap{} in the dates, rows are taken as if there were none; the first before {}",
     "날짜가 {0}군데 비었습니다. 비지 않은 것처럼 행을 잇습니다; 처음은 {2}"},
    {"{} of {} pairs have an empty side and are left out; the first is line {}",
     "문장 쌍 {1}개 중 {0}개는 한쪽이 비어 뺐습니다; 처음은 {2}번째 줄"},
    {"{} of {} pairs are longer than {} and are left out; the first is line {}",
     "문장 쌍 {1}개 중 {0}개는 {2}보다 길어 뺐습니다; 처음은 {3}번째 줄"},
    {"{} of {} sources are longer than {} times what the model reads and are left out of the "
     "scores; "
     "the first is line {}",
     "원문 {1}개 중 {0}개가 모델이 읽는 것의 {2}배보다 길어 점수에서 빠집니다; 첫째는 {3}번째 줄"},
    {"{} of {} lines do not fit a context of {} tokens and are left out; the first is line {}",
     "{1}줄 중 {0}줄은 문맥 {2}토큰에 들지 않아 뺐습니다; 처음은 {3}번째 줄"},
    {"total_size is {}, the tensors have {} bytes", "total_size는 {0}인데 텐서는 {1}바이트입니다"},

    // training
    {"{} series, windows of {} and {}: {} to train on, {} to validate with",
     "시계열 {0}개, {1}행과 그 뒤 {2}행의 창: 학습 {3}개, 검증 {4}개"},
    {"{} pairs, {} source and {} target tokens in {} batches, {} % padding",
     "문장 쌍 {0}개, 원문 토큰 {1}개와 번역문 토큰 {2}개, 배치 {3}개, 패딩 {4} %"},
    {"{} images to train on, {} to validate with, {} classes, {}",
     "그림 학습 {0}개, 검증 {1}개, 클래스 {2}개, {3}"},
    {"{} tokens to train on, {} to validate with, {} % hidden",
     "토큰 학습 {0}개, 검증 {1}개, {2} % 가림"},
    {"{} tokens to train on, {} to validate with, {} % replaced",
     "토큰 학습 {0}개, 검증 {1}개, {2} % 바꿔 넣음"},
    {"not measured again: {}: {}", "다시 재지 못함: {0}: {1}"},
    {"{} tokens to train on, {} to validate with", "토큰 학습 {0}개, 검증 {1}개"},
    {"{} lines to train on, {} to validate with", "줄 학습 {0}개, 검증 {1}개"},
    {"{} texts to train on, {} to validate with, {} classes, {} cut to {} tokens",
     "글 학습 {0}개, 검증 {1}개, 클래스 {2}개, {3}개는 {4}토큰으로 자름"},
    {"{} texts to train on, {} to validate with, {} classes",
     "글 학습 {0}개, 검증 {1}개, 클래스 {2}개"},
    {"{} sentences to train on, {} to validate with, {} tags, {} cut to {} tokens",
     "문장 학습 {0}개, 검증 {1}개, 태그 {2}개, {3}개는 {4}토큰으로 자름"},
    {"{} sentences to train on, {} to validate with, {} tags",
     "문장 학습 {0}개, 검증 {1}개, 태그 {2}개"},
    {"\"auto_map\" asks for {}, remote code is not run; {} is read",
     "\"auto_map\"이 {0}을(를) 말하지만 남의 코드는 실행하지 않습니다; {1}을(를) 읽습니다"},
    {"the vocabulary has no languages, texts are read without them",
     "어휘에 언어가 없어 글을 언어 없이 읽습니다"},
    {"these weights start anew: {}", "새로 시작하는 가중치: {0}"},
    {"the weights are those of a {}, not of a {}", "가중치는 {1}이(가) 아니라 {0}의 것입니다"},
    {"no such file here, this is the recipe that jogak brings",
     "여기에 그런 파일이 없어 jogak에 들어 있는 레시피를 씁니다"},
    {"no checkpoint yet, training begins at the start",
     "아직 체크포인트가 없어 처음부터 학습합니다"},
    {"was trained with {} up to step {}, this machine uses {}: from here on bits may differ",
     "스텝 {1}까지 {0}(으)로 학습했는데 이 기계는 {2}을(를) 씁니다: 여기부터 비트가 다를 수 "
     "있습니다"},
    {"line {} is not complete, dropped", "{0}번째 줄이 온전하지 않아 버렸습니다"},
    {"step {} skipped: {} (examples from place {} of epoch {})",
     "스텝 {0}을(를) 건너뛰었습니다: {1} (에포크 {3}의 {2}번째 자리부터의 예)"},
    {"step {} skipped: {}", "스텝 {0}을(를) 건너뛰었습니다: {1}"},
    {"step {}: the validation loss is {}", "스텝 {0}: 검증 손실이 {1}입니다"},
    {"left by an unfinished run, and could not be removed",
     "끝나지 않은 학습이 남긴 것인데 지우지 못했습니다"},
    {"left by an unfinished run, removed", "끝나지 않은 학습이 남긴 것이라 지웠습니다"},
    {"saved, but a power cut may still lose it: {}",
     "저장했지만 전원이 끊기면 잃을 수 있습니다: {0}"},
    {"could not be removed: {}", "지우지 못했습니다: {0}"},
};

}  // namespace

std::span<const KoreanLine> korean_warnings() { return kWarnings; }

}  // namespace jogak
