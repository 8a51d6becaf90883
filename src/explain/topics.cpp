// Every topic, in the order of the curriculum. A topic is one file of topics/ and a line here.
#include "explain/topic.h"

namespace jogak {

// Vectors and matrices.
const Topic& dot_topic();
const Topic& matmul_topic();
const Topic& transpose_topic();
const Topic& sentence_topic();
const Topic& shapes_topic();
// Probability and loss.
const Topic& softmax_topic();
const Topic& crossentropy_topic();
const Topic& smoothing_topic();
const Topic& forcing_topic();
// Attention.
const Topic& attention_topic();
const Topic& scale_topic();
const Topic& qkv_topic();
const Topic& multihead_topic();
const Topic& masks_topic();
const Topic& cross_topic();
const Topic& linear_topic();
const Topic& heads_topic();
// Order.
const Topic& order_topic();
const Topic& positions_topic();
const Topic& distance_topic();
const Topic& position_kinds_topic();
const Topic& beyond_topic();
// Norm, residual, feed-forward.
const Topic& layernorm_topic();
const Topic& batchnorm_topic();
const Topic& gelu_topic();
const Topic& residual_topic();
const Topic& dropout_topic();
const Topic& feedforward_topic();
// Learning.
const Topic& adam_topic();
const Topic& warmup_topic();
const Topic& clipping_topic();
const Topic& backward_topic();
// The whole.
const Topic& block_topic();
const Topic& wirings_topic();
const Topic& model_topic();
const Topic& errata_topic();

const std::vector<Section>& topic_sections() {
  static const std::vector<Section> all = {
      {{"벡터와 행렬", "Vectors and matrices"},
       {
           &dot_topic(),
           &matmul_topic(),
           &transpose_topic(),
           &sentence_topic(),
           &shapes_topic(),
       }},
      {{"확률과 손실", "Probability and loss"},
       {
           &softmax_topic(),
           &crossentropy_topic(),
           &smoothing_topic(),
           &forcing_topic(),
       }},
      {{"어텐션", "Attention"},
       {
           &attention_topic(),
           &scale_topic(),
           &qkv_topic(),
           &multihead_topic(),
           &masks_topic(),
           &cross_topic(),
           &linear_topic(),
           &heads_topic(),
       }},
      {{"순서", "Order"},
       {
           &order_topic(),
           &positions_topic(),
           &distance_topic(),
           &position_kinds_topic(),
           &beyond_topic(),
       }},
      {{"정규화, 잔차, 피드포워드", "Norm, residual, feed-forward"},
       {
           &layernorm_topic(),
           &batchnorm_topic(),
           &gelu_topic(),
           &residual_topic(),
           &dropout_topic(),
           &feedforward_topic(),
       }},
      {{"학습", "Learning"},
       {
           &adam_topic(),
           &warmup_topic(),
           &clipping_topic(),
           &backward_topic(),
       }},
      {{"전체", "The whole"},
       {
           &block_topic(),
           &wirings_topic(),
           &model_topic(),
           &errata_topic(),
       }},
  };
  return all;
}

}  // namespace jogak
