/** `npm run check`: the checks that are fast enough to run before each commit. */
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '#platform/project-root.ts'
import {
  crowdedFolders,
  driverViolations,
  importCircles,
  staleDriverFiles,
  testLimits,
  wideLines,
} from './house-rules.ts'
import { readImportGraph } from './import-graph.ts'
import { pictureViolations } from './pictures.ts'

const outputBytesMax = 64 * 1024 * 1024

/** Run one after the other, so that their output does not mix. */
const programs: readonly (readonly [name: string, ...command: string[]])[] = [
  ['Types', 'typescript/bin/tsc', '--noEmit'],
  ['Types of the dashboard', 'typescript/bin/tsc', '--noEmit', '-p', 'web/dashboard'],
  ['Lint and format', '@biomejs/biome/bin/biome', 'check', '.'],
  ['Spelling and words', 'cspell/bin.mjs', '--no-progress', '--quiet', '--cache', '.'],
]
const unitTests = ['Unit tests', 'vitest/vitest.mjs', 'run', '--project', 'unit'] as const

async function main(args: readonly string[]): Promise<number> {
  const failed: string[] = []
  const check = async (name: string, run: () => Promise<boolean>) => {
    process.stdout.write(`${name} …\n`)
    if (!(await run())) failed.push(name)
  }
  await check('House rules', async () => reportHouseRules())
  for (const [name, ...command] of programs) await check(name, () => succeeds(command))
  if (!args.includes('--no-tests')) {
    const [name, ...command] = unitTests
    await check(name, () => succeeds([...command, ...args]))
  }
  const end = failed.length === 0 ? 'All checks passed.' : `Failed: ${failed.join(', ')}.`
  process.stdout.write(`${end}\n`)
  return failed.length === 0 ? 0 : 1
}

function reportHouseRules(): boolean {
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: outputBytesMax,
  })
  const paths = tracked.split('\n').filter((path) => path !== '' && existsInTree(path))
  const sources = paths.filter((path) => path.endsWith('.ts'))
  const graph = readImportGraph(projectRoot, sources)
  const prose = paths.filter((path) => /\.(?:ts|tsx|mjs|js|css|md)$/.test(path))
  const broken = [
    ...importCircles(graph),
    ...driverViolations(graph),
    ...staleDriverFiles(graph),
    ...crowdedFolders(paths),
    ...pictureViolations(
      paths.map((path) => ({ path, bytes: statSync(join(projectRoot, path)).size })),
    ),
    ...prose.flatMap((path) => {
      const text = readFileSync(join(projectRoot, path), 'utf8')
      return [...wideLines(path, text), ...testLimits(path, text)]
    }),
  ]
  for (const sentence of broken) process.stdout.write(`  ${sentence}\n`)
  return broken.length === 0
}

/** A file that is deleted and not committed yet is still listed by git. */
function existsInTree(path: string): boolean {
  try {
    readFileSync(join(projectRoot, path))
    return true
  } catch {
    return false
  }
}

async function succeeds([bin = '', ...args]: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [join(projectRoot, 'node_modules', bin), ...args], {
    cwd: projectRoot,
    stdio: 'inherit',
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code === 0))
  })
}

process.exitCode = await main(process.argv.slice(2))
