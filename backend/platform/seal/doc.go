// Package seal protects a process's memory, and the secrets in its environment, from
// the user's other programs: above all from the commands that a model runs, which are
// descendants of Parley.
//
// What the systems allow:
//
//   - Linux: the process is not dumpable (PR_SET_DUMPABLE). Root then owns its /proc entries:
//     others can neither read nor open its memory, maps, environment and open files,
//     no debugger attaches, and no core is written. The process itself still sees its own
//     files there, except those that only their owner may open (environ, mem, io). A
//     program that it starts is dumpable again after exec.
//   - macOS: no debugger attaches (PT_DENY_ATTACH), and no core is written. The initial
//     arguments and environment are readable by the user's other programs: see below.
//   - Elsewhere, no core is written where cores exist. On Windows, a program of the same
//     user may open another's memory; a process can't prevent that itself.
//
// Children don't write cores either.
//
// Secrets are removed from the environment, so that later children don't have them. On
// Linux their initial values are overwritten. Copies in Go's memory remain, for the code
// that needs them.
//
// None of this stops root, or a user who may trace any process.
package seal
