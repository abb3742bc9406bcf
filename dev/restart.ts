/**
 * `npm run restart`: asks the product that runs on the data folder to run its services anew,
 * without a gap.
 */
import { resolve } from 'node:path'
import { inheritedEnv, readEnv } from '#platform/env.ts'
import { holderOf } from './processes/lock-data-dir.ts'

const dataDir = resolve(readEnv(['SLUICE_DATA_DIR'], inheritedEnv()).SLUICE_DATA_DIR)
const pid = await holderOf(dataDir)
if (pid === undefined) {
  process.stderr.write(`Sluice does not run on ${dataDir}: start it with \`npm start\`.\n`)
  process.exitCode = 1
} else {
  process.kill(pid, 'SIGUSR2')
  process.stdout.write(
    `Asked process ${pid} to run the services anew; its own output says how it goes.\n`,
  )
}
