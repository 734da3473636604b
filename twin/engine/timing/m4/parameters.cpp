#include "timing/m4/parameters.h"

namespace twin::m4 {

namespace {

constexpr ConstantKey<Parameters> keys[] = {
    {"core.load", &Parameters::load},
    {"core.load_next", &Parameters::load_next},
    {"core.store_after_load", &Parameters::store_after_load},
    {"core.load_after_store", &Parameters::load_after_store},
    {"core.address", &Parameters::address},
    {"core.store", &Parameters::store},
    {"core.store_indexed", &Parameters::store_indexed},
    {"core.multiple", &Parameters::multiple},
    {"core.refill", &Parameters::refill},
    {"core.refill_unaligned", &Parameters::refill_unaligned},
    {"core.divide", &Parameters::divide},
    {"core.status", &Parameters::status},
    {"core.barrier_fetch", &Parameters::barrier_fetch},
    {"core.floating_multiply_add", &Parameters::floating_multiply_add},
    {"core.floating_divide", &Parameters::floating_divide},
    {"exception.entry", &Parameters::entry},
    {"exception.chain", &Parameters::chain},
    {"exception.leave", &Parameters::leave},
    {"exception.late", &Parameters::late},
    {"exception.vector", &Parameters::vector},
    {"exception.handler", &Parameters::handler},
    {"exception.return_fetch", &Parameters::return_fetch},
    {"sleep.wake", &Parameters::wake},
    {"flash.instruction_lines", &Parameters::instruction_lines},
    {"flash.data_lines", &Parameters::data_lines},
    {"bridge.read", &Parameters::bridge_read},
    {"bridge.read_ratio", &Parameters::bridge_read_ratio},
    {"bridge.write_halves", &Parameters::bridge_write_halves},
};

} // namespace

Parameters Parameters::from(Constants &constants) {
    Parameters parameters{};
    take_members(constants, parameters, keys);
    return parameters;
}

} // namespace twin::m4
