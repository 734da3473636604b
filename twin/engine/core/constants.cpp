#include "core/constants.h"

#include "core/stop.h"

namespace twin {

Time Constants::take(const std::string &name) {
    auto at = values_.find(name);
    if (at == values_.end())
        refuse("profile lacks the constant " + name);
    Time value = at->second;
    values_.erase(at);
    return value;
}

void Constants::finish() const {
    if (!values_.empty())
        refuse("profile has an unknown constant " + values_.begin()->first);
}

} // namespace twin
