import { inheritedEnv } from '#platform/env.ts'
import { runAdmin } from './run-admin.ts'

// The exit code is left for the end of the process, so that output into a pipe is written whole.
process.exitCode = await runAdmin(process.argv.slice(2), {
  env: inheritedEnv(),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
})
