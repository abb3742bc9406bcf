import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { projectRoot } from './project-root.ts'

const built = join(projectRoot, 'dist/platform/logger.js')

test('a process keeps running when its standard output is closed, and exits normally', async () => {
  expect(existsSync(built), 'build first: npm run build').toBe(true)
  const script = `
    const { createLogger } = await import(${JSON.stringify(pathToFileURL(built).href)})
    const log = createLogger('test', 'info')
    log.info({ code: 'first' }, 'First.')
    setTimeout(() => {
      log.info({ code: 'second' }, 'x'.repeat(100_000))
      log.fatal({ code: 'third' }, 'Third.')
      setTimeout(() => process.exit(7), 50)
    }, 300)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [first] = await once(child.stdout, 'data')
  expect(JSON.parse(String(first))).toMatchObject({ level: 'info', service: 'test', code: 'first' })
  child.stdout.destroy()
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  expect(code).toBe(7)
})
