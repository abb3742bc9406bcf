import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { Demo } from './demo/demo.ts'
import { isAlive } from './processes/process-table.ts'
import { type Stack, startStack } from './stack.ts'

test('a stack starts completely, recovers from crashes, and removes everything when it stops', async () => {
  const stack = await startStack()
  let pids: number[] = []
  try {
    pids = pidsOf(stack)
    expect(pids).toHaveLength(8)

    const path = join(stack.dataDir, 'demo.json')
    expect(Demo.parse(JSON.parse(await readFile(path, 'utf8')))).toEqual(stack.demo)
    expect((await stat(path)).mode & 0o777).toBe(0o600)

    for (const name of ['nats', 'clickhouse', 'postgres', 'smtp'] as const) {
      await stack.engines[name].kill('SIGKILL')
      await stack.engines[name].restart()
    }
    await stack.services.workers.crash()
    await stack.services.workers.ready()
    for (const service of Object.values(stack.services)) await service.ready()
    pids.push(...pidsOf(stack))

    const mail = createTransport({ url: stack.urls.smtp })
    await mail.sendMail({ from: 'a@b.test', to: 'c@d.test', subject: 'Hi', text: 'Hello' })
    mail.close()

    await expect(startStack({ dataDir: stack.dataDir })).rejects.toThrow(
      /^Sluice is already running on .*, or set SLUICE_DATA_DIR/,
    )
  } finally {
    await stack.stop()
  }
  expect(pids.filter(isAlive)).toEqual([])
  expect(existsSync(stack.dataDir)).toBe(false)
})

test('a second start on the same folder reuses the demo', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-again-'))
  // The Postgres user must be able to enter, or Postgres would store its data outside this
  // folder.
  await chmod(dataDir, 0o711)
  try {
    const demos: Demo[] = []
    for (const fresh of [true, false]) {
      const stack = await startStack({ dataDir, services: [] })
      await stack.stop()
      expect(stack.demoIsFresh).toBe(fresh)
      demos.push(stack.demo)
    }
    expect(demos[1]?.accessToken).toBe(demos[0]?.accessToken)
    expect(demos[1]?.owner).toEqual(demos[0]?.owner)
    expect(existsSync(join(dataDir, 'demo.json'))).toBe(false)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

function pidsOf(stack: Stack): number[] {
  const all = [...Object.values(stack.services), ...Object.values(stack.engines)]
  return all.flatMap((one) => one.pid ?? [])
}
