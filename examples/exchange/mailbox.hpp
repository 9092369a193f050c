// SPDX-License-Identifier: MIT
//
// What a user has been told in a day, as each protocol keeps it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "outcome.hpp"
#include "users.hpp"

namespace exchange {

/// What one protocol keeps of what a user is told in a day, such as its messages. It follows from the outcomes
/// alone, so a restart makes it again.
class View {
 public:
  View() = default;
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  virtual ~View() = default;

  /// Takes the next outcome of the user, or of an account that it reads along.
  virtual void told(const Outcome& outcome) = 0;
};

/// Makes that of a user for a new day; nullptr if the user does not speak the protocol.
using MakeView = std::unique_ptr<View> (*)(const User&);

/// All views of a user in a day. It outlives the day while a connection still reads it.
class Mailbox {
 public:
  Mailbox(const User& user, const std::vector<MakeView>& protocols) {
    for (const MakeView make : protocols) {
      if (std::unique_ptr<View> view = make(user)) views_.push_back(std::move(view));
    }
  }

  void told(const Outcome& outcome) {
    for (const std::unique_ptr<View>& view : views_) view->told(outcome);
  }
  /// That of this kind, or nullptr. It looks at all.
  template <class V>
  [[nodiscard]] V* view() const noexcept {
    for (const std::unique_ptr<View>& view : views_) {
      if (V* const found = dynamic_cast<V*>(view.get())) return found;
    }
    return nullptr;
  }

 private:
  std::vector<std::unique_ptr<View>> views_;
};

}  // namespace exchange
