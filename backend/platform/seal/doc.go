// Package seal keeps a process's memory, and what its environment had of secrets, from
// the other programs of the same person: above all from the commands that a model runs,
// which are children of Parley's children.
//
// What the systems allow:
//
//   - Linux: the process is not dumpable (PR_SET_DUMPABLE). What /proc shows of it belongs
//     to root then: memory, maps, environment and open files can be neither read nor
//     opened by others, no debugger attaches, and no core is written. The process itself
//     still sees its own files there, but for those that only their owner may open
//     (environ, mem, io). A program that it starts is dumpable again, with exec.
//   - macOS: no debugger attaches (PT_DENY_ATTACH), and no core is written. What the process
//     was started with can be read by others of the same person: see below.
//   - Elsewhere, no core is written where there are such. On Windows, a program of the same
//     person may open another's memory; nothing that a process does to itself prevents it.
//
// That no core is written holds for what the process starts, too.
//
// Secrets in the environment are taken out of it, so that nothing which is started later
// has them. On Linux their values are overwritten where the process was given them.
// Copies in the memory of Go remain, for those who need them.
//
// None of this stops root, or who may trace any process.
package seal
