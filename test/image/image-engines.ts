/** The four embedded engines without migrations: those are run from the image. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddedEngines, mailboxFolder } from '../../dev/engines/embedded-engines.ts'
import { ManagedProcess } from '../../dev/processes/managed-process.ts'
import { type EngineName, engineNames, settle } from '../../dev/stack-settings.ts'

export interface ImageEngines {
  readonly urls: Readonly<Record<EngineName, string>>
  readonly mailboxDir: string
  readonly stop: () => Promise<void>
}

export async function startEngines(progress: (sentence: string) => void): Promise<ImageEngines> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-image-'))
  // The user that runs Postgres needs search permission on the folder.
  await chmod(dataDir, 0o711)
  const settings = await settle({ SLUICE_DATA_DIR: dataDir }, 'free')
  const engines = await embeddedEngines(settings, progress, new AbortController().signal)
  const processes = engineNames.map(
    (name) =>
      new ManagedProcess(engines[name].plan, {
        line: () => undefined,
        started: async () => undefined,
        exited: () => undefined,
        broughtBack: () => undefined,
      }),
  )
  const stop = async () => {
    await Promise.all(processes.map((process) => process.stop()))
    const outside = engineNames.flatMap((name) => engines[name].outsideFolders)
    for (const folder of [dataDir, ...outside]) {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
  try {
    await Promise.all(processes.map((process) => process.start()))
  } catch (error) {
    await stop()
    throw error
  }
  const urls = Object.fromEntries(engineNames.map((name) => [name, engines[name].url]))
  return {
    urls: urls as Record<EngineName, string>,
    mailboxDir: mailboxFolder(settings) ?? join(dataDir, 'mailbox'),
    stop,
  }
}
