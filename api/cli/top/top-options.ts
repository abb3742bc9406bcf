/** What `top` was asked: where the processes are, and how to print. */

import { parseArgs } from 'node:util'
import { readEnv } from '#platform/env.ts'
import { maskCredentials } from '#platform/text/mask-credentials.ts'
import { readProductFile } from '../product-file.ts'
import { UsageError } from '../usage-error.ts'
import { targetsMax } from './resolve-targets.ts'
import type { Target } from './scrape.ts'

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
  const given = values.url ?? listOf(env['SLUICE_METRICS_URLS'])
  const targets = given.length > 0 ? given.map(targetOf) : await runningProduct(env)
  if (targets.length > targetsMax) {
    throw new UsageError(`There are ${targets.length} URLs; at most ${targetsMax} are allowed.`)
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

function listOf(text: string | undefined): string[] {
  return (text ?? '').split(',').flatMap((entry) => entry.trim() || [])
}

function targetOf(text: string): Target {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `--url must be a metrics URL such as http://127.0.0.1:8036/metrics, not ${JSON.stringify(maskCredentials(text).slice(0, 100))}.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    // No part of it is quoted: it may be shown on a screen that others see.
    throw new UsageError(
      '--url must not hold a user or a password; the operations port needs none.',
    )
  }
  if (url.pathname === '/') url.pathname = '/metrics'
  return { name: url.host, metricsUrl: url.href }
}

async function runningProduct(env: NodeJS.ProcessEnv): Promise<Target[]> {
  const { SLUICE_DATA_DIR: dataDir } = readEnv(['SLUICE_DATA_DIR'], env)
  const urls = Object.entries((await readProductFile(dataDir))?.metricsUrls ?? {})
  if (urls.length === 0) {
    throw new UsageError(
      `No running Sluice was found in ${dataDir}: start it (npm start), set SLUICE_DATA_DIR to its data folder, or name its processes with --url or SLUICE_METRICS_URLS.`,
    )
  }
  return urls.map(([name, metricsUrl]) => ({ name, metricsUrl }))
}
