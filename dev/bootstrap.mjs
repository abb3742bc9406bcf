/**
 * Runs one command of package.json on whatever is there: installs the packages when they are missing or
 * not those of the lock file, builds when a source is newer than the build, then hands over. It is plain
 * JavaScript and imports nothing but Node, because on a fresh clone there is nothing else.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Built entries, below dist/. */
const entries = {
  start: 'dev/start.js',
  restart: 'dev/restart.js',
  migrate: 'dev/migrate.js',
  ingest: 'ingest/main.js',
  workers: 'workers/main.js',
  mailer: 'workers/mail/main.js',
  api: 'api/main.js',
  admin: 'api/cli/main.js',
  'bench:ingest': 'bench/bench-ingest.js',
  'bench:k6': 'bench/bench-k6.js',
  'bench:ladder': 'bench/bench-ladder.js',
  'bench:grouping': 'bench/bench-grouping.js',
  'bench:otlp': 'bench/bench-otlp.js',
  'bench:busy': 'bench/bench-busy.js',
  'bench:mail': 'bench/bench-mail.js',
  'test:faults': 'test/faults/run-faults.js',
  'test:simulation': 'test/simulation/run-simulation.js',
  'test:api-fuzz': 'test/api-fuzz/run-api-fuzz.js',
  'test:ingest-fuzz': 'test/ingest-fuzz/run-ingest-fuzz.js',
  'test:storm': 'test/idea-storm/run-storm.js',
  'bench:portal': 'bench/bench-portal.js',
  'test:mailkill': 'test/mailkill/run-mailkill.js',
  'test:image': 'test/image/run-image.js',
  'test:mutants': 'test/simulation/run-mutants.js',
}

/** Those that look for a running embedded product when no URL is given. */
const services = ['ingest', 'workers', 'mailer', 'api']

/** Ends the command with its sentence and code 1. */
class Failure extends Error {}

const [command = '', ...args] = process.argv.slice(2)

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof Failure)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

async function main() {
  if (!(command in entries) && !['build', 'check', 'test'].includes(command)) {
    const known = ['build', 'check', 'test', ...Object.keys(entries)].join(', ')
    throw new Failure(`There is no command "${command}"; there are: ${known}.`)
  }
  checkNode()
  // Variables of the shell win over the file.
  if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'))
  await install()
  if (command === 'check') return check()
  await build()
  if (command === 'build') return 0
  if (command === 'test') return test()
  if (services.includes(command)) useRunningEngines()
  return enter(entries[command])
}

async function enter(entry) {
  const path = join(root, 'dist', entry)
  if (!existsSync(path)) throw new Failure(`${relative(root, path)} is not part of this build.`)
  process.setSourceMapsEnabled(true)
  // The entry sees the arguments as if it had been started by itself.
  process.argv = [process.execPath, path, ...args]
  await import(pathToFileURL(path).href)
  return process.exitCode ?? 0
}

function checkNode() {
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node
  const [major, minor] = process.versions.node.split('.').map(Number)
  const fits = wanted.split('||').some((range) => {
    const [wantedMajor, wantedMinor = 0] = range.trim().replace('^', '').split('.').map(Number)
    return major === wantedMajor && minor >= wantedMinor
  })
  if (fits) return
  throw new Failure(`Sluice needs Node ${wanted}, and this is Node ${process.versions.node}.`)
}

async function install() {
  const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const platform = `${process.platform}-${process.arch}-node${process.versions.modules}`
  const wanted = `${createHash('sha256').update(lockText).digest('hex')} ${platform}`
  const marker = join(root, 'node_modules/.sluice-installed')
  if (readIfThere(marker) === wanted) return
  const before = readIfThere(marker)?.split(' ')[1] ?? platform
  if (before === platform && isInstalled(JSON.parse(lockText))) {
    writeFileSync(marker, wanted)
    return
  }
  const npm = process.env.npm_execpath
  const [file, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const flags = [
    'ci',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--json=false',
  ]
  await runQuietly('Installing packages', file, [...first, ...flags])
  writeFileSync(marker, wanted)
}

/** Whether what the lock file names is there, by npm's own list, so that nothing is installed for nothing. */
function isInstalled(lock) {
  const text = readIfThere(join(root, 'node_modules/.package-lock.json'))
  if (text === undefined) return false
  const installed = JSON.parse(text).packages
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '') return true
    if (installed[path] === undefined) return wanted.optional === true || wanted.peer === true
    return installed[path].version === wanted.version
  })
}

async function build() {
  const marker = join(root, 'dist/.sluice-built')
  const sources = listSources()
  const wanted = createHash('sha256').update(JSON.stringify(sources)).digest('hex')
  if (readIfThere(marker) === wanted) return
  rmSync(marker, { force: true })
  await runQuietly('Building', process.execPath, [bin('typescript/bin/tsc')])
  removeStale(sources.map(([path]) => path))
  mkdirSync(dirname(marker), { recursive: true })
  writeFileSync(marker, wanted)
}

/** Path, size and time of all that the build reads. */
function listSources() {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const paths = ['tsconfig.json', 'package-lock.json']
  for (const entry of include) {
    const path = join(root, entry)
    if (!existsSync(path)) continue
    if (!statSync(path).isDirectory()) paths.push(entry)
    else
      for (const name of filesBelow(path)) if (name.endsWith('.ts')) paths.push(join(entry, name))
  }
  return paths.sort().map((path) => {
    const { size, mtimeMs } = statSync(join(root, path))
    return [path, size, mtimeMs]
  })
}

/** What an earlier build made of a source that is no longer there would still run. */
function removeStale(sources) {
  const kept = new Set(sources.map((path) => path.replace(/\.ts$/, '')))
  for (const name of filesBelow(join(root, 'dist'))) {
    if (!/\.js(\.map)?$/.test(name)) continue
    if (!kept.has(name.replace(/\.js(\.map)?$/, ''))) rmSync(join(root, 'dist', name))
  }
}

async function check() {
  const steps = [
    ['Types', process.execPath, [bin('typescript/bin/tsc'), '--noEmit']],
    ['Lint and format', process.execPath, [bin('@biomejs/biome/bin/biome'), 'check', '.']],
    [
      'Unit tests',
      process.execPath,
      [bin('vitest/vitest.mjs'), 'run', '--project', 'unit', ...args],
    ],
  ]
  const failed = []
  for (const [name, file, fileArgs] of steps) {
    process.stdout.write(`\n${name}\n`)
    if ((await run(file, fileArgs)) !== 0) failed.push(name)
  }
  process.stdout.write(
    failed.length === 0 ? '\nAll is well.\n' : `\nFailed: ${failed.join(', ')}.\n`,
  )
  return failed.length === 0 ? 0 : 1
}

async function test() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  try {
    const results = join(folder, 'results.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
    const code = await run(process.execPath, [
      bin('vitest/vitest.mjs'),
      'run',
      ...reporters,
      ...args,
    ])
    const text = readIfThere(results)
    if (text !== undefined) {
      const { numPassedTests, numFailedTests, testResults } = JSON.parse(text)
      // A file that cannot even be loaded holds no failed test, and must not look like success.
      const brokenFiles = testResults.filter(
        (file) =>
          file.status === 'failed' && file.assertionResults.every((one) => one.status !== 'failed'),
      ).length
      process.stdout.write(`${numPassedTests} passed, ${numFailedTests + brokenFiles} failed\n`)
    }
    return code
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Lets a service that is started alone join the embedded product of the data folder. */
function useRunningEngines() {
  const path = resolve(process.env.SLUICE_DATA_DIR || '.sluice', 'demo.json')
  const text = readIfThere(path)
  if (text === undefined) return
  const demo = JSON.parse(text)
  const urls = {
    POSTGRES_URL: demo.postgresUrl,
    NATS_URL: demo.natsUrl,
    CLICKHOUSE_URL: demo.clickhouseUrl,
    SMTP_URL: demo.smtpUrl,
  }
  // Given URLs win as a whole: half of one product and half of another would be a trap.
  if (Object.keys(urls).some((name) => process.env[name])) return
  Object.assign(process.env, urls)
}

/** Shows one line with the seconds that went by; the program's own words only when it fails. */
async function runQuietly(what, file, fileArgs) {
  const startedAt = performance.now()
  const seconds = () => Math.round((performance.now() - startedAt) / 1000)
  const terminal = process.stderr.isTTY
  const write = (end) =>
    process.stderr.write(terminal ? `\r${what} … ${end}` : `${what} … ${end}\n`)
  write('')
  const timer = setInterval(() => write(`${seconds()} s`), terminal ? 1_000 : 5_000)
  const child = spawn(file, fileArgs, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const keep = (chunk) => {
    output = (output + chunk).slice(-100_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  let code
  try {
    code = await exitCode(child, file)
  } finally {
    clearInterval(timer)
    write(code === 0 ? `done in ${seconds()} s` : `failed after ${seconds()} s`)
    if (terminal) process.stderr.write('\n')
  }
  if (code !== 0) throw new Failure(output.trim())
}

async function run(file, fileArgs) {
  return exitCode(spawn(file, fileArgs, { cwd: root, stdio: 'inherit' }), file)
}

function exitCode(child, file) {
  // Ctrl-C reaches the child as well; we stay to pass on how it ends.
  const wait = () => undefined
  process.on('SIGINT', wait)
  const forward = () => child.kill('SIGTERM')
  process.on('SIGTERM', forward)
  return new Promise((settle, reject) => {
    child.once('error', (error) => {
      const reason = error.code === 'ENOENT' ? 'it is not on the PATH' : error.message
      reject(new Failure(`The program ${file} cannot be started: ${reason}.`))
    })
    child.once('close', (code) => settle(code ?? 1))
  }).finally(() => {
    process.off('SIGINT', wait)
    process.off('SIGTERM', forward)
  })
}

function bin(path) {
  const file = join(root, 'node_modules', path)
  if (existsSync(file)) return file
  throw new Failure(`node_modules/${path} is missing: run \`npm ci\`.`)
}

function filesBelow(folder) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
