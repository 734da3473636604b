STACK_SOURCES := $(addprefix stacks/template/,$(ARCH)/vectors.S template.c)
