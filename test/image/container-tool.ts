/**
 * Builds an image of the repository and runs commands from it, with Docker or buildah, depending on
 * which works. Containers use the host network, because the engines of the test listen on loopback.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { childrenOf, commandLine } from '../../dev/processes/process-table.ts'
import { splitLines } from '../../dev/processes/split-lines.ts'

export interface BuildOptions {
  readonly tag: string
  /** Replaces the base image of the Dockerfile; it must exist locally and is not pulled. */
  readonly baseImage: string | undefined
  /** Build secrets by their id in the Dockerfile. */
  readonly secrets: Readonly<Record<string, string>>
}

export interface RunOptions {
  readonly name: string
  readonly image: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface ContainerTool {
  readonly name: 'docker' | 'buildah'
  readonly build: (options: BuildOptions) => Promise<void>
  readonly run: (options: RunOptions) => Promise<Container>
}

const lastLinesMax = 60
const killedAfterMs = 40_000

/** A running command of an image. */
export class Container {
  readonly name: string
  readonly #child: ChildProcess
  readonly #ended: Promise<number | null>
  readonly #handles: ContainerHandles
  readonly #lines: string[] = []
  /** Output on stdout so far. */
  stdout = ''

  constructor(name: string, child: ChildProcess, handles: ContainerHandles) {
    this.name = name
    this.#child = child
    this.#handles = handles
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()))
    for (const stream of [child.stdout, child.stderr]) {
      const lines = splitLines((line) => {
        this.#lines.push(line)
        if (this.#lines.length > lastLinesMax) this.#lines.shift()
      })
      stream?.on('data', lines.push)
      stream?.on('end', lines.end)
    }
    this.#ended = once(child, 'close').then(([code]) => code as number | null)
  }

  get lastLines(): string {
    return this.#lines.map((line) => `${this.name}: ${line}`).join('\n')
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Waits for a command that exits by itself, and returns its exit code. */
  async end(): Promise<number | null> {
    const code = await this.#ended
    await this.#handles.remove()
    return code
  }

  /**
   * Sends SIGTERM, as an orchestrator does, and returns the exit code; null if the command had to
   * be killed.
   */
  async stop(): Promise<number | null> {
    const { pid } = this.#child
    const target = this.hasEnded || pid === undefined ? undefined : this.#handles.commandPid(pid)
    if (target !== undefined) process.kill(target, 'SIGTERM')
    const timer = setTimeout(() => this.#killGroup(), killedAfterMs)
    try {
      return await this.end()
    } finally {
      clearTimeout(timer)
    }
  }

  #killGroup(): void {
    if (!this.hasEnded && this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL')
  }
}

interface ContainerHandles {
  /** Finds the process that gets the signals of the command, from the tool's process id. */
  readonly commandPid: (toolPid: number) => number | undefined
  readonly remove: () => Promise<void>
}

/** Undefined if neither Docker nor buildah works. */
export async function findContainerTool(): Promise<ContainerTool | undefined> {
  // The Docker client alone is not enough: its daemon has to answer.
  if (await works('docker', ['info', '--format', '{{.ServerVersion}}'])) return docker
  if (await works('buildah', ['--version'])) return buildah
  return undefined
}

const docker: ContainerTool = {
  name: 'docker',
  build: ({ tag, baseImage, secrets }) =>
    runShown('docker', [
      'build',
      '--network',
      'host',
      ...buildFlags(baseImage, secrets),
      '-t',
      tag,
      '.',
    ]),
  run: async ({ name, image, command, env }) => {
    const flags = ['run', '--rm', '--init', '--network', 'host', '--name', name, ...envFlags(env)]
    const child = start('docker', [...flags, image, ...command])
    // Docker forwards signals to the command.
    return new Container(name, child, { commandPid: (pid) => pid, remove: async () => undefined })
  },
}

const buildah: ContainerTool = {
  name: 'buildah',
  build: ({ tag, baseImage, secrets }) =>
    runShown('buildah', [
      ...['build', '--isolation', 'chroot', '--network', 'host', '--layers'],
      ...(baseImage === undefined ? [] : ['--pull-never']),
      ...buildFlags(baseImage, secrets),
      ...['-t', tag, '.'],
    ]),
  run: async ({ name, image, command, env }) => {
    await runQuietly('buildah', ['from', '--pull-never', '--name', name, image])
    const flags = ['run', '--isolation', 'chroot', '--network', 'host', ...envFlags(env)]
    // buildah does not use the entry point of the image.
    const entered = ['sluice', ...command]
    const child = start('buildah', [...flags, name, '--', ...entered])
    return new Container(name, child, {
      // A signal would end buildah, which kills the command, so the signal goes to the command
      // itself.
      commandPid: (pid) => descendant(pid, entered),
      remove: () => runQuietly('buildah', ['rm', name]),
    })
  },
}

/**
 * The descendant process that runs the command, as `node /usr/local/bin/sluice …`. buildah's own
 * process above it names the same command.
 */
function descendant(pid: number, command: readonly string[]): number | undefined {
  const own = command.join(' ')
  const isOwn = (line = '') => line.startsWith('node ') && line.endsWith(`/${own}`)
  let generation = [pid]
  while (generation.length > 0) {
    const found = generation.find((one) => isOwn(commandLine(one)))
    if (found !== undefined) return found
    generation = generation.flatMap(childrenOf)
  }
  return undefined
}

function buildFlags(baseImage: string | undefined, secrets: BuildOptions['secrets']): string[] {
  const base = baseImage === undefined ? [] : ['--build-arg', `SLUICE_BASE_IMAGE=${baseImage}`]
  const files = Object.entries(secrets).flatMap(([id, path]) => [
    '--secret',
    `id=${id},src=${path}`,
  ])
  return [...base, ...files]
}

function envFlags(env: RunOptions['env']): string[] {
  return Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
}

function start(file: string, args: readonly string[]): ChildProcess {
  return spawn(file, args, {
    cwd: projectRoot,
    env: inheritedEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
}

async function runShown(file: string, args: readonly string[]): Promise<void> {
  const env = { ...inheritedEnv(), DOCKER_BUILDKIT: '1' }
  const child = spawn(file, args, {
    cwd: projectRoot,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${file} ${args[0]} ended with ${code}`)
}

async function runQuietly(file: string, args: readonly string[]): Promise<void> {
  const child = start(file, args)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${text.trim()}`)
}

async function works(file: string, args: readonly string[]): Promise<boolean> {
  const child = start(file, args)
  child.stdout?.resume()
  child.stderr?.resume()
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })
}
