import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { CodeBlock } from '../../../design/content/copy.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { isOwner } from '../../../session/session.ts'
import { CreateCredentialDialog, CredentialList, SecretDialog } from './credential-list.tsx'
import { OrganizationPage } from './organization-page.tsx'

const list = 'GET /api/v1/organization/api-keys'

/** Keys (`emk_…`) of the email API. */
export function ApiKeysPage() {
  const keys = useRead(list, {})
  const [isCreating, setCreating] = useState(false)
  const [value, setValue] = useState<string>()
  return (
    <OrganizationPage
      title="API keys"
      actions={
        isOwner.value && (
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            Create a key
          </Button>
        )
      }
    >
      <p class="soft">
        For the email API: transactional email, contacts and drafts of campaigns. Send it as{' '}
        <code>Authorization: Bearer</code>, from servers only.
      </p>
      <Loaded read={keys}>
        {({ items }) => (
          <CredentialList
            noun="key"
            items={items}
            onRevoke={({ id, label }) =>
              runChange({
                send: () =>
                  request('PATCH /api/v1/organization/api-keys/{id}', {
                    params: { id },
                    body: { revoked: true },
                  }),
                done: `Revoked ${label}.`,
                refetch: [list],
              })
            }
            onDelete={({ id, label }) =>
              runChange({
                send: () =>
                  request('DELETE /api/v1/organization/api-keys/{id}', { params: { id } }),
                done: `Deleted ${label}.`,
                refetch: [list],
              })
            }
            empty={<p>Create one to send email from your application.</p>}
          />
        )}
      </Loaded>
      {isCreating && (
        <CreateCredentialDialog
          noun="key"
          hint="The application that uses it."
          days=""
          create={async (body) => {
            const created = await request('POST /api/v1/organization/api-keys', { body })
            await invalidateReads(list)
            return created.value
          }}
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false)
            setValue(created)
          }}
        />
      )}
      {value !== undefined && (
        <SecretDialog title="The new key" value={value} onClose={() => setValue(undefined)}>
          <CodeBlock label="Send an email" code={sendSnippet(value)} />
        </SecretDialog>
      )}
    </OrganizationPage>
  )
}

function sendSnippet(key: string): string {
  const body =
    '{"newsletter":"…","to":"you@example.com","subject":"Hello","markdown":"It **works**."}'
  return [
    `curl ${location.origin}/api/v1/send \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n')
}
