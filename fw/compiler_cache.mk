# Where zig keeps what it has compiled: below the user's cache of irqscope (host/irqscope/cache.py), where only irqscope
# waits for its locks. In build/ where that cache is switched off (`IRQSCOPE_CACHE=`).
OF_USER := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/irqscope
ifneq ($(origin IRQSCOPE_CACHE),undefined)
OF_USER := $(IRQSCOPE_CACHE)
endif
ifndef ZIG_GLOBAL_CACHE_DIR
export ZIG_GLOBAL_CACHE_DIR := $(or $(OF_USER),$(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)/build)/zig
endif
