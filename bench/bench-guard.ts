/**
 * `npm run bench:guard -- --base <commit>`: digests the same events with the present build and with
 * that of another commit, in turn, and fails when the present one takes over 8 percent more CPU
 * time. To run before a change of the hot path is merged.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Command } from 'commander'
import { projectRoot } from '#platform/project-root.ts'
import { FormerVersion } from '../test/upgrade/former-version.ts'
// biome-ignore lint/style/noRestrictedImports: it measures in threads like those of the workers.
import { youngGenerationMb } from '../workers/digest/digest-pool.ts'
import { digestSizes } from './digest/make-ranges.ts'
import { median } from './report/median.ts'
import { wholeNumber } from './report/parse-option.ts'

const growthMax = 0.08
/** Compiled code and filled caches. */
const warmRounds = 3

const { base, rounds } = new Command('bench:guard')
  .description('Compare the CPU time of the digest with that of another commit.')
  .option('--base <commit>', 'the commit to compare with', 'HEAD~1')
  .option(
    '--rounds <n>',
    'rounds of each; the median of the ratios decides',
    wholeNumber(3, 1000),
    15,
  )
  .parse()
  .opts<{ base: string; rounds: number }>()

class Build {
  readonly #thread: Worker

  constructor(folder: string) {
    this.#thread = new Worker(new URL('./digest/measure-thread.js', import.meta.url), {
      workerData: { folder },
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    })
  }

  /** CPU time of one round in µs for each event. */
  async measure(kb: number): Promise<number> {
    this.#thread.postMessage(kb)
    const [us] = (await once(this.#thread, 'message')) as [number]
    return us
  }

  async end(): Promise<void> {
    await this.#thread.terminate()
  }
}

await main()

async function main(): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), 'sluice-guard-'))
  process.stderr.write(`building ${base}\n`)
  const former = await FormerVersion.build(base, join(parent, 'base'))
  const builds = [new Build(former.folder), new Build(projectRoot)] as const
  const lines: string[] = []
  const grown: string[] = []
  try {
    for (const { kb } of digestSizes) {
      process.stderr.write(`events of ${kb} KB\n`)
      const [before, now] = builds
      const ratios: number[] = []
      const costs: { before: number; now: number }[] = []
      for (let round = -warmRounds; round < rounds; round += 1) {
        const cost = { before: await before.measure(kb), now: await now.measure(kb) }
        if (round < 0) continue
        costs.push(cost)
        ratios.push(cost.now / cost.before)
      }
      const ratio = median(ratios as [number, ...number[]])
      const us = (build: 'before' | 'now') =>
        median(costs.map((cost) => cost[build]) as [number, ...number[]]).toFixed(1)
      lines.push(`| ${kb} KB | ${us('before')} | ${us('now')} | ${ratio.toFixed(3)} |`)
      if (ratio > 1 + growthMax) grown.push(`${kb} KB`)
    }
  } finally {
    for (const build of builds) await build.end()
    await former.remove()
    await rm(parent, { recursive: true, force: true })
  }
  process.stdout.write(
    `| Event | ${base}, µs | now, µs | Ratio |\n|---|--:|--:|--:|\n${lines.join('\n')}\n`,
  )
  if (grown.length === 0) return
  process.stderr.write(
    `The digest takes over ${100 * growthMax} % more CPU time: ${grown.join(', ')}\n`,
  )
  process.exitCode = 1
}
