import { describe, expect, test } from 'vitest'
import { SecretBox } from '#platform/secret-box.ts'
import { apiOfThisFile, type Call } from '../../../test/fixtures/api-fixture.ts'
import {
  makeBrandingPreview,
  previewCharactersMax,
  readBrandingPreview,
} from './branding-preview.ts'

const api = apiOfThisFile()
const box = new SecretBox('a secret of at least 32 characters')
const projectKey = '0198c19f-0a4b-7c22-8d66-1f0b5e2e3d21'
const nowMs = Date.UTC(2026, 10, 23)
const made = (change: object, saved: Record<string, unknown> | null = null) =>
  makeBrandingPreview(box, { projectKey, saved, change, nowMs })

describe('a preview in a URL', () => {
  test('has the saved branding with the changes, until it expires', () => {
    const { token, expiresMs } = made({ title: 'New' }, { title: 'Old', footer_text: 'Bye' })
    const read = (atMs: number) => readBrandingPreview(box, { token, projectKey, nowMs: atMs })
    expect(read(nowMs)).toMatchObject({ title: 'New', footer_text: 'Bye', theme: 'auto' })
    expect(read(expiresMs - 1)).toBeDefined()
    expect(read(expiresMs)).toBeUndefined()
  })

  test('is of one portal and of one installation', () => {
    const { token } = made({ title: 'New' })
    const another = '0198c19f-0a4b-7c22-8d66-1f0b5e2e3d22'
    expect(readBrandingPreview(box, { token, projectKey: another, nowMs })).toBeUndefined()
    const foreign = new SecretBox('another secret of 32 characters!')
    expect(readBrandingPreview(foreign, { token, projectKey, nowMs })).toBeUndefined()
  })

  test('a changed one is not read', () => {
    const [packed = '', mac = ''] = made({ title: 'New' }).token.split('.')
    const other = made({ title: 'Evil' }).token.split('.')[0]!
    for (const token of [
      '',
      '.',
      packed,
      `.${mac}`,
      `${other}.${mac}`,
      `${packed}.${mac}x.y`,
      `${packed}.AAAA`,
    ]) {
      const isSame = token.startsWith(`${packed}.${mac}`)
      const read = readBrandingPreview(box, { token, projectKey, nowMs })
      expect([token, read]).toEqual([token, isSame ? read : undefined])
    }
  })

  test('a stylesheet that is too long for a URL is left out, and that is said', () => {
    const short = made({ custom_css: 'h1 { color: red }' })
    expect(short.omitsCss).toBe(false)
    const noise = Array.from(
      { length: 1_200 },
      (_, index) => `.c${(index * 2_654_435_761) % 1e9} {}`,
    )
    const long = made({ custom_css: noise.join('\n').slice(0, 20_000) })
    expect(long.omitsCss).toBe(true)
    expect(long.token.length).toBeLessThan(previewCharactersMax)
  })
})

describe('the hosted page', () => {
  test('shows unsaved branding only at its own address', async () => {
    const tenant = await api().tenant('Preview')
    const owner = await api().login(tenant)
    const path = `/api/v1/admin/portal/${tenant.project.id}/preview`
    const ask = (branding: object, call: Call = {}) =>
      api().call(path, { method: 'POST', body: { branding }, login: owner, ...call })
    const { status, body } = await ask({ title: 'Brand new', primary_color: '#aa3355' })
    expect(status).toBe(200)
    const page = await api().app.inject({ url: body.path })
    expect(page.body).toContain('Brand new')
    const theme = /href="([^"]+theme\.css[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&')
    expect((await api().app.inject({ url: theme! })).body).toContain('--brand: #aa3355')
    const plain = `/portal/${tenant.project.projectKey}`
    for (const url of [plain, `${plain}?preview=x`, `${plain}?preview=${'x'.repeat(9_000)}`]) {
      const other = await api().app.inject({ url })
      expect([url.length, other.statusCode]).toEqual([url.length, 200])
      expect(other.body).not.toContain('Brand new')
    }
    const { body: settings } = await api().call(path.replace('/preview', '/settings'), {
      login: owner,
    })
    expect(settings.branding).toBeNull()
  })

  test.each([
    [{ primary_color: 'red' }],
    [{ custom_css: '@import "x"' }],
    [{ logo_url: 'javascript:1' }],
    [{ unknown: 1 }],
  ])('refuses what could not be saved: %j', async (branding) => {
    const tenant = await api().tenant('Refused preview')
    const login = await api().login(tenant)
    const path = `/api/v1/admin/portal/${tenant.project.id}/preview`
    const { status } = await api().call(path, { method: 'POST', body: { branding }, login })
    expect(status).toBe(400)
  })
})
