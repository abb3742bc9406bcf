import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findK6 } from './find-k6.ts'

let folder = ''
const said: string[] = []
const onProgress = (sentence: string) => said.push(sentence)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-k6-'))
  said.length = 0
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const program = (name: string, script: string) =>
  writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })

describe('finding k6', () => {
  test('k6 on the PATH is used', async () => {
    await program('k6', 'true')
    const env = { PATH: `/nowhere:${folder}`, XDG_CACHE_HOME: folder }
    expect(await findK6({ env, onProgress })).toBe(join(folder, 'k6'))
    expect(said).toEqual([])
  })

  test('the error of a failed build states the reason and the alternatives', async () => {
    await program('go', 'echo "no route to the module proxy" >&2; exit 1')
    const env = { PATH: `${folder}:/bin:/usr/bin`, XDG_CACHE_HOME: folder }
    await expect(findK6({ env, onProgress })).rejects.toThrow(
      /no route to the module proxy.*grafana\/k6 image/,
    )
    expect(said).toHaveLength(1)
  })

  test('a build is cached for the next run', async () => {
    await program('go', 'printf "#!/bin/sh\\n" > "$GOBIN/k6"; chmod +x "$GOBIN/k6"')
    const env = { PATH: `${folder}:/bin:/usr/bin`, XDG_CACHE_HOME: folder }
    const built = await findK6({ env, onProgress })
    expect(built).toBe(join(folder, 'sluice/bin/k6'))
    expect(await findK6({ env: { ...env, PATH: '/nowhere' }, onProgress })).toBe(built)
  })
})
