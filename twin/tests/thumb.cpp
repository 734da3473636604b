// The engine's reading of Thumb instructions, for test_thumb.py.
#include "cpu/thumb.h"

extern "C" void decode(std::uint16_t first, std::uint16_t second, std::int32_t *out) {
    using namespace twin::thumb;
    Instruction it = decode(first, second);
    const std::int32_t values[] = {
        it.size,
        static_cast<std::int32_t>(it.kind),
        static_cast<std::int32_t>(it.sources | it.address),
        static_cast<std::int32_t>(it.results | it.loaded),
        it.base,
        it.words,
        it.multiple,
        it.offset,
        static_cast<std::int32_t>(flow(it)),
    };
    for (std::int32_t value : values)
        *out++ = value;
}
