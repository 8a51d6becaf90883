// What every folder's tests need beside GTest.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <typeinfo>

namespace jogak {

// Runs `work`, which must throw exactly an E (not a child or parent of it); returns its message.
template <class E, class Work>
std::string error_of(Work&& work) {
  try {
    work();
  } catch (const std::exception& error) {
    EXPECT_EQ(std::string(typeid(error).name()), std::string(typeid(E).name())) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown, wanted " << typeid(E).name();
  return "";
}

// The whole message must be equal.
template <class E, class Work>
void expect_error(Work&& work, const std::string& message) {
  EXPECT_EQ(error_of<E>(work), message);
}

}  // namespace jogak
