/**
 * A real Prometheus that scrapes the drilled processes every second and evaluates the alert rules
 * of `dev/deploy/prometheus`. Their waiting times (`for:`) and the windows of `increase()` are
 * shortened to seconds, because a drill lasts seconds; thresholds stay.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { findProgram, pathFolders } from '../../dev/find-program.ts'
import { freePort } from '../../dev/processes/free-port.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const rulesPath = join(projectRoot, 'dev/deploy/prometheus/sluice-alerts.yml')
const startMsMax = 30_000
const waitInDrills = '2s'
const windowInDrills = '20s'

export class Prometheus {
  readonly #url: string
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.#url = url
    this.#child = child
    this.#folder = folder
  }

  /** Undefined when there is no `prometheus` on the PATH. */
  static async start(
    metricsUrls: Readonly<Record<string, string>>,
  ): Promise<Prometheus | undefined> {
    const program = await findProgram('prometheus', pathFolders(inheritedEnv()))
    if (program === undefined) return undefined
    const folder = await mkdtemp(join(tmpdir(), 'sluice-prometheus-'))
    const rules = await readFile(rulesPath, 'utf8')
    await writeFile(join(folder, 'rules.yml'), shorten(rules))
    await writeFile(join(folder, 'prometheus.yml'), configuration(metricsUrls))
    const port = await freePort()
    const child = spawn(
      program,
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { stdio: 'ignore' },
    )
    const prometheus = new Prometheus(`http://127.0.0.1:${port}`, child, folder)
    const processes = Object.keys(metricsUrls).length
    await waitUntil(
      'all scrapes',
      async () => (await prometheus.#scraped()) === processes,
      startMsMax,
    )
    return prometheus
  }

  /** Names of the alerts that fire now. */
  async firing(): Promise<ReadonlySet<string>> {
    const response = await fetch(`${this.#url}/api/v1/alerts`)
    const body = (await response.json()) as {
      data: { alerts: { state: string; labels: { alertname: string } }[] }
    }
    const firing = body.data.alerts.filter(({ state }) => state === 'firing')
    return new Set(firing.map(({ labels }) => labels.alertname))
  }

  /** Number of processes whose metrics were read. */
  async #scraped(): Promise<number> {
    const response = await fetch(`${this.#url}/api/v1/query?query=count(sluice_build_info)`)
    const body = (await response.json()) as { data: { result: { value: [number, string] }[] } }
    return Number(body.data.result[0]?.value[1] ?? 0)
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.#child.once('exit', done))
    this.#child.kill('SIGKILL')
    await ended
    await rm(this.#folder, { recursive: true, force: true })
  }
}

function shorten(rules: string): string {
  return rules
    .replace(/^(\s+for:) .*$/gm, `$1 ${waitInDrills}`)
    .replace(/\[\d+[mh]\]/g, `[${windowInDrills}]`)
}

function configuration(metricsUrls: Readonly<Record<string, string>>): string {
  const targets = Object.values(metricsUrls).map((url) => `'${new URL(url).host}'`)
  return `global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [rules.yml]
scrape_configs: [{ job_name: sluice, static_configs: [{ targets: [${targets.join(', ')}] }] }]
`
}
