// quick-start.c is for the test process alone: what a test starts is as users have it.
delete process.env.LD_PRELOAD
