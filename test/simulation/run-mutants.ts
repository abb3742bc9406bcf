/**
 * Shows that the simulation detects defects: each mutant of mutants.ts is planted in a copy of the
 * sources, one at a time, and seeds are run until one detects it. A mutant that no seed detects
 * fails the run, and so does one whose place no longer exists.
 *
 *   npm run test:mutants -- --seeds 10000 --jobs 2 --only 'epoch'
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { projectRoot } from '#platform/project-root.ts'
import { wholeNumber } from '../../bench/report/parse-option.ts'
import { mutants } from './mutants.ts'
import { findPlaces, type Mutant, markedFolders, plant } from './plant-mutant.ts'

const sourceFolders = ['schemas', 'platform', 'ingest', 'workers', 'test/simulation']
/** Copied and not built as a whole: the simulation imports some of their files. */
const importedFolders = ['test/fixtures', 'bench/report']
const seedsTimeoutMs = 900_000

interface Result {
  readonly mutant: Mutant
  readonly kind: 'caught' | 'survived' | 'broken'
  readonly detail: string
}

async function main(): Promise<number> {
  const flags = new Command('test:mutants')
    .description('Plants defects in a copy of the sources, which the simulation must find.')
    .option('--seeds <n>', 'at most this many for each', wholeNumber(1, 999_999_999), 10_000)
    .option('--jobs <n>', 'copies that are tried at once', wholeNumber(1, 1000), 2)
    .option('--only <text>', 'only those whose name contains this', '')
    .parse()
    .opts<{ seeds: number; jobs: number; only: string }>()
  const wanted = mutants.filter(({ name }) => name.includes(flags.only))
  const places = findPlaces(projectRoot, markedFolders)
  const queue = [...wanted]
  const results: Result[] = []
  const work = async () => {
    const copy = new SourceCopy()
    try {
      await copy.build()
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const result = await copy.tryMutant(mutant, places, `${flags.seeds}`)
        results.push(result)
        process.stdout.write(`${result.kind.padEnd(8)} ${mutant.name}: ${result.detail}\n`)
      }
    } finally {
      copy.remove()
    }
  }
  await Promise.all(Array.from({ length: flags.jobs }, work))
  const missed = results.filter(({ kind }) => kind !== 'caught')
  process.stdout.write(
    `${results.length - missed.length} of ${wanted.length} mutants caught${missed.length === 0 ? '' : '; not caught:'}\n`,
  )
  for (const { mutant, detail } of missed) process.stdout.write(`  ${mutant.name}: ${detail}\n`)
  return missed.length === 0 ? 0 : 1
}

/** A copy of the sources that is built and run by itself. */
class SourceCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-mutant-'))

  constructor() {
    for (const name of [...sourceFolders, ...importedFolders, 'package.json']) {
      cpSync(join(projectRoot, name), join(this.#folder, name), {
        recursive: true,
        filter: (path) => !path.endsWith('.test.ts'),
      })
    }
    symlinkSync(join(projectRoot, 'node_modules'), join(this.#folder, 'node_modules'))
    const config = JSON.parse(readFileSync(join(projectRoot, 'tsconfig.json'), 'utf8'))
    config.include = sourceFolders
    // A planted error may leave a name unused.
    config.compilerOptions.noUnusedLocals = false
    config.compilerOptions.noUnusedParameters = false
    writeFileSync(join(this.#folder, 'tsconfig.json'), JSON.stringify(config))
  }

  async build(): Promise<void> {
    const { code, output } = await run(this.#folder, ['node_modules/typescript/bin/tsc'], 120_000)
    if (code !== 0) throw new Error(`the build fails:\n${output}`)
  }

  async tryMutant(
    mutant: Mutant,
    places: ReadonlyMap<string, string>,
    seeds: string,
  ): Promise<Result> {
    const place = places.get(mutant.place)
    if (place === undefined) return { mutant, kind: 'broken', detail: 'its place is not marked' }
    const path = join(this.#folder, place)
    const sound = readFileSync(path, 'utf8')
    try {
      writeFileSync(path, plant(sound, mutant))
      await this.build()
      const args = ['dist/test/simulation/run-simulation.js', '--seeds', seeds, '--first', '1']
      const { code, output } = await run(
        this.#folder,
        [...args, '--jobs', '1', '--until-failure'],
        seedsTimeoutMs,
      )
      if (code === 0) return { mutant, kind: 'survived', detail: `no seed of ${seeds} finds it` }
      if (code === undefined) return { mutant, kind: 'broken', detail: 'the seeds took too long' }
      const [head = '', problem = ''] = output.slice(output.indexOf('seed ')).split('\n')
      const seed = head.split(':')[0] ?? ''
      if (!/^seed \d+$/.test(seed)) {
        return { mutant, kind: 'broken', detail: output.slice(-2_000) }
      }
      return { mutant, kind: 'caught', detail: `${seed}, ${problem.trim()}` }
    } catch (error) {
      return { mutant, kind: 'broken', detail: String(error) }
    } finally {
      writeFileSync(path, sound)
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Code is undefined when the time was up. */
function run(
  folder: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<{ code: number | undefined; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let isLate = false
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-100_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const timer = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, timeoutMs)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code: isLate ? undefined : (code ?? 1), output })
    })
  })
}

process.exitCode = await main()
