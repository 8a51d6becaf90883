#include "server/lanes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "server/routes.h"

namespace jogak::server {
namespace {

TEST(Lanes, OneLaneRunsInOrderOneAtATime) {
  std::vector<int> order;
  std::atomic<int> inside{0};
  bool together = false;
  {
    std::promise<void> done;  // outlives the lanes, whose threads may still be in it
    Lanes lanes(4, 1000);
    for (int i = 0; i < 200; ++i)
      lanes.add("model", [&, i] {
        together = together || inside.fetch_add(1) != 0;
        order.push_back(i);
        inside.fetch_sub(1);
        if (i == 199) done.set_value();
      });
    done.get_future().wait();
  }
  ASSERT_EQ(order.size(), 200u);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
  EXPECT_FALSE(together);
}

TEST(Lanes, AFullLaneRefusesAndOthersGoOn) {
  std::promise<void> gate, other, begun;
  std::shared_future<void> open = gate.get_future().share();
  Lanes lanes(2, 2);
  ASSERT_TRUE(lanes.add("a", [&] {
    begun.set_value();
    open.wait();
  }));
  begun.get_future().wait();
  EXPECT_TRUE(lanes.add("a", [] {}));
  EXPECT_TRUE(lanes.add("a", [] {}));
  EXPECT_FALSE(lanes.add("a", [] {}));
  EXPECT_EQ(lanes.waiting("a"), 2u);
  EXPECT_TRUE(lanes.add("b", [&] { other.set_value(); }));
  other.get_future().wait();
  gate.set_value();
}

TEST(Routes, PathsWithNames) {
  Routes routes;
  routes.add({.path = "/"});
  routes.add({.path = "/api/models/{model}"});
  routes.add({.method = "POST", .path = "/api/models/{model}/inspect"});
  const auto found = [&](const std::string& method, const std::string& path) {
    Request request{.method = method, .path = path};
    std::string allowed;
    const Route* const route = routes.find(request, allowed);
    if (!route) return "-" + allowed;
    const auto model = request.names.find("model");
    return route->path + (model == request.names.end() ? "" : "=" + model->second);
  };
  EXPECT_EQ(found("GET", "/"), "/");
  EXPECT_EQ(found("HEAD", "/"), "/");
  EXPECT_EQ(found("POST", "/"), "-GET");
  EXPECT_EQ(found("GET", "/api/models/조각"), "/api/models/{model}=조각");
  EXPECT_EQ(found("POST", "/api/models/x/inspect"), "/api/models/{model}/inspect=x");
  EXPECT_EQ(found("GET", "/api/models/x/inspect"), "-POST");
  EXPECT_EQ(found("GET", "/api/models/"), "-");
  EXPECT_EQ(found("GET", "/api/models"), "-");
  EXPECT_EQ(found("GET", "/api/models/x/inspect/y"), "-");
}

}  // namespace
}  // namespace jogak::server
