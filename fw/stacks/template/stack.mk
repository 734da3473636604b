STACK_SOURCES := $(addprefix stacks/template/,vectors.S template.c)
