/** `npm run top`, and in the image `sluice top`. */
import { systemClock } from '#platform/clock.ts'
import { inheritedEnv } from '#platform/env.ts'
import { runTop } from './run-top.ts'

const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => ending.abort())
}
// The reader of the output may be gone, as in `npm run top -- --once | head -3`.
process.stdout.on('error', () => process.exit(0))

process.exitCode = await runTop(process.argv.slice(2), {
  env: inheritedEnv(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: (text) => process.stderr.write(text),
  clock: systemClock,
  ending,
})
// A scrape may still wait for a process that hangs.
if (ending.signal.aborted) process.exit()
