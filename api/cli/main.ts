import { inheritedEnv } from '#platform/env.ts'
import { runAdmin } from './run-admin.ts'

process.exitCode = await runAdmin(process.argv.slice(2), {
  env: inheritedEnv(),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
})
// A store that hangs may hold a connection open. Output to a pipe is written completely first.
process.stdout.write('', () => process.exit())
