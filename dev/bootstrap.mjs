/**
 * Prepares a fresh clone, then starts one built program: `node dev/bootstrap.mjs dev/start`
 * installs the packages when they are missing or differ from the lock file, builds when a source
 * has changed since the last build, and runs `dist/dev/start.js` in this process. Without a program
 * it stops after the build. It is plain JavaScript that imports only Node's own modules, because a
 * fresh clone has no packages yet.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Ends this process with its sentence and exit code 1. */
class Failure extends Error {}

const [program, ...args] = process.argv.slice(2)

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof Failure)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

async function main() {
  checkNode()
  // Variables of the shell win over the file.
  if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'))
  await install()
  await build()
  return program === undefined ? 0 : start(join(root, 'dist', `${program}.js`))
}

async function start(path) {
  if (!existsSync(path)) throw new Failure(`${relative(root, path)} is not part of this build.`)
  process.setSourceMapsEnabled(true)
  // The program sees the arguments as if it had been started directly.
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

/** Whether every package of the lock file is installed, according to npm's own list. */
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
  removeStale(sources.map(([path]) => path).filter((path) => path.endsWith('.ts')))
  await buildDashboard()
  mkdirSync(dirname(marker), { recursive: true })
  writeFileSync(marker, wanted)
}

/** The dashboard calls the API through types that are generated from the routes just built. */
async function buildDashboard() {
  const folder = join(root, 'web/dashboard')
  const node = process.execPath
  const typeCheck = [bin('typescript/bin/tsc'), '--noEmit', '-p', folder]
  const bundle = [bin('vite/bin/vite.js'), 'build', '--logLevel', 'warn', folder]
  await runQuietly('Reading the routes', node, [join(root, 'dist/dev/web/write-from-routes.js')])
  await runQuietly('Checking the dashboard', node, typeCheck)
  await runQuietly('Bundling the dashboard', node, bundle)
}

/** Path, size and modification time of every file that the build reads. */
function listSources() {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const paths = ['tsconfig.json', 'package-lock.json']
  const dashboard = join(root, 'web/dashboard')
  for (const name of existsSync(dashboard) ? filesBelow(dashboard) : []) {
    if (!name.startsWith('generated/')) paths.push(join('web/dashboard', name))
  }
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

/** Deletes the output of sources that are gone: it would still run. */
function removeStale(sources) {
  const kept = new Set(sources.map((path) => path.replace(/\.ts$/, '')))
  for (const name of filesBelow(join(root, 'dist'))) {
    // Vite empties the folder of the dashboard itself.
    if (!/\.js(\.map)?$/.test(name) || name.startsWith('web/')) continue
    if (!kept.has(name.replace(/\.js(\.map)?$/, ''))) rmSync(join(root, 'dist', name))
  }
}

/** Shows one line with the seconds it took; the program's output only when it fails. */
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

function exitCode(child, file) {
  // Ctrl-C reaches the child as well; this process stays to report how it ends.
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
