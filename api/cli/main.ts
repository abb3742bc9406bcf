import { inheritedEnv } from '#platform/env.ts'
import { runAdmin } from './run-admin.ts'

// Sets the exit code instead of exiting, so that output to a pipe is written completely.
process.exitCode = await runAdmin(process.argv.slice(2), {
  env: inheritedEnv(),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
})
