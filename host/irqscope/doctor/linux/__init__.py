"""The doctor's steps with an agent under Linux, and what its kernel costs."""
