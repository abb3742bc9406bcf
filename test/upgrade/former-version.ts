/**
 * Another commit of this repository in a folder of its own, built, and its product running on a
 * data folder. The folder is replaced by the present build later, as an operator does it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { inheritedEnv } from '#platform/env.ts'
import { projectRoot } from '#platform/project-root.ts'
import { Demo } from '../../dev/demo/demo.ts'
import { childrenOf } from '../../dev/processes/process-table.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'

const run = promisify(execFile)
const buildMsMax = 600_000
const startMsMax = 300_000
const stopMsMax = 90_000
const outputCharactersMax = 200_000
const bufferBytesMax = 64 * 1024 * 1024

export class FormerVersion {
  readonly folder: string
  #supervisor: ChildProcess | undefined
  /** What the product has printed. */
  output = ''

  private constructor(folder: string) {
    this.folder = folder
  }

  static async build(ref: string, folder: string): Promise<FormerVersion> {
    const self = new FormerVersion(folder)
    try {
      await git('worktree', 'add', '--detach', folder, ref)
      const canShare = await hasItsPackages(folder)
      if (canShare) await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
      // The bootstrap installs the packages. With those of this version it would only note that.
      const build = canShare ? 'node_modules/typescript/bin/tsc' : 'dev/bootstrap.mjs'
      await run(process.execPath, [build], {
        cwd: folder,
        timeout: buildMsMax,
        maxBuffer: bufferBytesMax,
      })
    } catch (error) {
      await self.remove()
      throw error
    }
    return self
  }

  /** Starts the product on the data folder, as `npm start` does. */
  async start(dataDir: string, env: Readonly<Record<string, string>>): Promise<Demo> {
    const child = spawn(process.execPath, ['dist/dev/start.js'], {
      cwd: this.folder,
      env: { ...inheritedEnv(), ...env, SLUICE_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#supervisor = child
    const keep = (text: string) => {
      this.output = (this.output + text).slice(-outputCharactersMax)
    }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    return waitUntil(
      'demo.json',
      async () => {
        if (child.exitCode !== null) throw new Error('the product has exited')
        return Demo.parse(JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')))
      },
      startMsMax,
    ).catch((error: unknown) => {
      throw new Error(`the product did not start:\n${this.output.slice(-4_000)}`, { cause: error })
    })
  }

  /** The process id of a service, given by its program below `dist/`. */
  async pidOf(entry: string): Promise<number | undefined> {
    const supervisor = this.#supervisor?.pid
    if (supervisor === undefined) return undefined
    for (const pid of childrenOf(supervisor)) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (line.includes(join(this.folder, 'dist', entry))) return pid
    }
    return undefined
  }

  /** Puts the sources and the build of the present version in the place of the former one. */
  async replace(): Promise<void> {
    const { stdout } = await run('git', ['-C', projectRoot, 'rev-parse', 'HEAD'])
    await run('git', ['-C', this.folder, 'checkout', '--force', '--detach', stdout.trim()])
    await rm(join(this.folder, 'node_modules'), { recursive: true, force: true })
    await symlink(join(projectRoot, 'node_modules'), join(this.folder, 'node_modules'))
    for (const name of ['dist', 'schemas']) {
      await cp(join(projectRoot, name), join(this.folder, name), { recursive: true, force: true })
    }
  }

  /** `npm run restart`: the supervisor replaces its services one after the other. */
  async restartServices(): Promise<void> {
    const from = this.output.length
    this.#supervisor?.kill('SIGUSR2')
    await waitUntil(
      'the restart of the services',
      async () => {
        const text = this.output.slice(Math.min(from, this.output.length - 1))
        if (text.includes('A restart failed')) throw new Error(text)
        return text.includes('The services were restarted')
      },
      startMsMax,
    )
  }

  async stop(): Promise<void> {
    const child = this.#supervisor
    this.#supervisor = undefined
    if (child === undefined || child.exitCode !== null) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMsMax)
    await once(child, 'exit')
    clearTimeout(timer)
  }

  async remove(): Promise<void> {
    await this.stop()
    await git('worktree', 'remove', '--force', this.folder).catch(() => undefined)
  }
}

/** Whether the packages of that version are installed here, in the same versions. */
async function hasItsPackages(folder: string): Promise<boolean> {
  const [wanted, installed] = await Promise.all([
    readLock(join(folder, 'package-lock.json')),
    readLock(join(projectRoot, 'node_modules/.package-lock.json')),
  ])
  return Object.entries(wanted).every(([path, { version, optional, peer }]) => {
    if (path === '') return true
    const own = installed[path]
    return own === undefined ? optional === true || peer === true : own.version === version
  })
}

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      optional: z.boolean().optional(),
      peer: z.boolean().optional(),
    }),
  ),
})

async function readLock(path: string) {
  return Lock.parse(JSON.parse(await readFile(path, 'utf8'))).packages
}

async function git(...args: readonly string[]): Promise<void> {
  await run('git', ['-C', projectRoot, ...args], { maxBuffer: bufferBytesMax })
}
