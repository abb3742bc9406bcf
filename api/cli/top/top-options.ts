/** What `top` was asked: where the processes are, and how to print. */

import { parseArgs } from 'node:util'
import { readEnv } from '#platform/env.ts'
import { metricsUrlFault } from '#platform/metrics/metrics-url.ts'
import { maskCredentials } from '#platform/text/mask-credentials.ts'
import { targetsMax } from '../../operation/processes/resolve-targets.ts'
import { type Target, targetOf, targetsOf } from '../../operation/processes/target.ts'
import { readProductFile } from '../find-product.ts'
import { UsageError } from '../usage-error.ts'

const shownCharactersMax = 100

export interface TopOptions {
  readonly mode: 'live' | 'once' | 'json'
  readonly targets: readonly Target[]
}

export const topHelp = `Shows what all processes of Sluice do, and the one thing to do now.

  npm run top                         the product that npm start runs
  npm run top -- --url URL …          metrics URLs of other processes

  --url URL    a metrics URL, such as http://10.0.0.5:8036/metrics; may be given several times.
               A host name with several addresses stands for several processes.
               SLUICE_METRICS_URLS holds several URLs, separated by commas.
  --once       print once, without control codes
  --json       print one JSON value

Keys: q or Ctrl-C quits.
`

/** Throws a UsageError. `help` is the text to print instead. */
export async function readTopOptions(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<TopOptions | 'help'> {
  const { values } = parse(args)
  if (values.help) return 'help'
  const mode = values.json ? 'json' : values.once ? 'once' : 'live'
  const { dataDir, metricsUrls } = readSettings(env)
  const given = values.url?.map(checked) ?? metricsUrls
  const targets = given.length > 0 ? given.map(targetOf) : await runningProduct(dataDir)
  if (targets.length > targetsMax) {
    throw new UsageError(
      `${targets.length} metrics URLs are given; at most ${targetsMax} are allowed.`,
    )
  }
  return { mode, targets }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: { type: 'string', multiple: true },
        once: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (cause) {
    const [sentence = ''] = (cause as Error).message.split('. ')
    throw new UsageError(`${sentence.replace(/\.$/, '')}. See --help.`, { cause })
  }
}

function readSettings(env: NodeJS.ProcessEnv): { dataDir: string; metricsUrls: string[] } {
  try {
    const { SLUICE_DATA_DIR, SLUICE_METRICS_URLS } = readEnv(
      ['SLUICE_DATA_DIR', 'SLUICE_METRICS_URLS'],
      env,
    )
    return { dataDir: SLUICE_DATA_DIR, metricsUrls: SLUICE_METRICS_URLS }
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause })
  }
}

function checked(url: string): string {
  const fault = metricsUrlFault(url)
  if (fault === undefined) return url
  const shown = maskCredentials(url).slice(0, shownCharactersMax)
  throw new UsageError(`--url ${JSON.stringify(shown)}: it ${fault}.`)
}

async function runningProduct(dataDir: string): Promise<Target[]> {
  const targets = targetsOf((await readProductFile(dataDir))?.metricsUrls ?? {})
  if (targets.length > 0) return targets
  throw new UsageError(
    `No running Sluice was found in ${dataDir}: start it (npm start), set SLUICE_DATA_DIR to its data folder, or name its processes with --url or SLUICE_METRICS_URLS.`,
  )
}
