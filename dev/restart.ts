/**
 * `npm run restart`: tells the product that runs on the data folder to restart its services without
 * refusing a request.
 */
import { resolve } from 'node:path'
import { inheritedEnv, readEnv } from '#platform/env.ts'
import { holderOf } from './processes/lock-data-dir.ts'

const dataDir = resolve(readEnv(['SLUICE_DATA_DIR'], inheritedEnv()).SLUICE_DATA_DIR)
const pid = await holderOf(dataDir)
if (pid === undefined) {
  process.stderr.write(`No Sluice is running on ${dataDir}. Start it with \`npm start\`.\n`)
  process.exitCode = 1
} else {
  process.kill(pid, 'SIGUSR2')
  process.stdout.write(
    `Process ${pid} is restarting the services; see its output for the progress.\n`,
  )
}
