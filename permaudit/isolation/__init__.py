"""Foreign metrics, anonymizers, rules and readers in processes of their own.

    host  --- socket --->  warden, one for each distribution  --- fork --->  one child for each call

The warden imports the plugins once and forks a child for each call, which takes milliseconds; the child gets the inputs as
memory that nobody can write to, has limits of time and memory, and is gone after the call with everything that it
started. What comes back is data. It is held against the declaration by the host, as if it came from this process.

Engines are the exception: what they prepare stays with them between the calls, so that they work in the host, with a deadline
(`permaudit.deadline`). Template sets are files, and the host renders them.

This protects from accidents, not from malice: a child can read, write and send what the operator can.
"""
