// Arguments of a simulation: `--NAME VALUE`, or `--NAME` alone. Whatever is wrong with it is
// refused.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace twin {

// A number of at most `most`, as C writes it.
std::uint64_t number(const std::string &text, std::uint64_t most);

template <typename T> T number(const std::string &text) {
    return static_cast<T>(number(text, std::numeric_limits<T>::max()));
}

// The known options, each with the receiver of its value: an object that is assigned to, or a
// function. A word may be given several times.
class CommandLine {
  public:
    using Taken = std::function<void(const std::string &value)>;

    void call(const char *name, Taken taken) { words_.push_back({name, std::move(taken), true}); }

    // Without a value.
    void flag(const char *name, bool &to, bool value) {
        words_.push_back({name, [&to, value](const std::string &) { to = value; }, false});
    }

    void text(const char *name, std::string &to) {
        call(name, [&to](const std::string &value) { to = value; });
    }

    void texts(const char *name, std::vector<std::string> &to) {
        call(name, [&to](const std::string &value) { to.push_back(value); });
    }

    template <typename T> void number(const char *name, T &to) {
        call(name, [&to](const std::string &value) { to = twin::number<T>(value); });
    }

    void parse(int argc, char **argv) const;

  private:
    struct Word {
        const char *name;
        Taken taken;
        bool valued;
    };

    std::vector<Word> words_;
};

} // namespace twin
