/** Changes the settings and keys of a project as a script does, with a token that may. */
import { createAccessToken } from '../api/io/account-store.ts'
import type { RunningProduct } from './running-product.ts'
import type { TestProject } from './test-project.ts'

export interface SettingsAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into replies and says itself what it expects there.
  readonly body: any
}

export async function callSettings(
  product: RunningProduct,
  project: TestProject,
  call: { readonly method: string; readonly path: string; readonly body?: unknown },
): Promise<SettingsAnswer> {
  const { rows } = await product.postgres.query<{ organization_id: string }>(
    'select organization_id from projects where id = $1',
    [project.id],
  )
  const { value } = await createAccessToken(product.postgres, {
    organizationId: rows[0]!.organization_id,
    label: 'settings',
    scopes: ['settings:write', 'issues:read'],
  })
  const url = `${product.stack.urls.api}/api/v1/projects/${project.id}${call.path}`
  const response = await fetch(url, {
    method: call.method,
    headers: {
      'x-api-key': value,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}
