/** Files of ideas in and out of a project of its own, as a person of the team sends them. */
import { expect } from 'vitest'
import { exportIdeas } from '../api/portal/admin/ideas/export-ideas.ts'
import type { ApiFixture, PersonLogin, Tenant } from './api-fixture.ts'

export interface FilePortal {
  readonly tenant: Tenant
  readonly login: PersonLogin
}

// biome-ignore lint/suspicious/noExplicitAny: what a file holds is what the tests look at.
export type Exported = any

export function ideaFiles(api: () => ApiFixture) {
  let portals = 0
  const url = ({ tenant }: FilePortal, path: string) =>
    `/api/v1/admin/portal/${tenant.project.id}${path}`

  async function portal(): Promise<FilePortal> {
    portals += 1
    const tenant = await api().tenant(`Files ${portals}`)
    return { tenant, login: await api().login(tenant) }
  }

  async function load(to: FilePortal, text: string, query = '', type = 'text/csv') {
    const answer = await api().call(url(to, `/ideas/import${query}`), {
      ...{ method: 'POST', body: text, login: to.login, headers: { 'content-type': type } },
    })
    expect([answer.status, answer.status === 200 ? '' : answer.body]).toEqual([200, ''])
    return answer.body
  }

  async function unload({ tenant, login }: FilePortal): Promise<Exported[]> {
    return (await api().call(url({ tenant, login }, '/ideas/export?format=json'), { login })).body
  }

  /** The bytes of the file, as the route sends them. */
  async function unloadText({ tenant }: FilePortal, format: 'csv' | 'json'): Promise<string> {
    const projectId = tenant.project.id
    let text = ''
    for await (const part of exportIdeas(api().ctx.pg, { projectId, format })) text += part
    return text
  }

  return { url, portal, load, unload, unloadText }
}

/** Ids differ from project to project: each becomes its place among the ids of the file, so that two files can be compared whole. */
export function withoutIds(text: string): string {
  const places = new Map<string, string>()
  return text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
    places.set(id, places.get(id) ?? `id ${places.size}`)
    return places.get(id)!
  })
}
