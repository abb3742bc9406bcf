import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { CodeBlock } from '../../../design/content/copy.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { CheckField } from '../../../design/forms/field.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Body, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { isOwner } from '../../../session/session.ts'
import { CreateCredentialDialog, CredentialList, SecretDialog } from './credential-list.tsx'
import { OrganizationPage } from './organization-page.tsx'

const list = 'GET /api/v1/organization/tokens'
type Scope = NonNullable<Exclude<Body<'POST /api/v1/organization/tokens'>, Blob>['scopes']>[number]

const scopes: readonly { readonly scope: Scope; readonly label: string; readonly hint: string }[] =
  [
    {
      scope: 'issues:read',
      label: 'issues:read',
      hint: 'Issues, events, releases, monitors, outcomes.',
    },
    { scope: 'issues:write', label: 'issues:write', hint: 'Resolve, assign, comment, merge.' },
    { scope: 'feedback:read', label: 'feedback:read', hint: 'Feedback of all projects.' },
    {
      scope: 'settings:write',
      label: 'settings:write',
      hint: 'Project settings, keys, alerts, quota.',
    },
  ]

/** Access tokens (`oat_…`) of scripts and assistants. */
export function TokensPage() {
  const tokens = useRead(list, {})
  const [isCreating, setCreating] = useState(false)
  const [value, setValue] = useState<string>()
  return (
    <OrganizationPage
      title="API tokens"
      actions={
        isOwner.value && (
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            Create a token
          </Button>
        )
      }
    >
      <p class="soft">
        For scripts, dashboards and assistants. Send it as <code>X-API-Key</code>. It opens all
        projects of the organization, within its scopes.
      </p>
      <Loaded read={tokens}>
        {({ items }) => (
          <CredentialList
            noun="token"
            items={items}
            columns={[
              {
                head: 'Scopes',
                secondary: true,
                cell: (token) => (
                  <span class="row">
                    {token.scopes.map((scope) => (
                      <Badge key={scope}>{scope}</Badge>
                    ))}
                  </span>
                ),
              },
            ]}
            onRevoke={({ id, label }) =>
              runChange({
                send: () =>
                  request('PATCH /api/v1/organization/tokens/{id}', {
                    params: { id },
                    body: { revoked: true },
                  }),
                done: `Revoked ${label}.`,
                refetch: [list],
              })
            }
            onDelete={({ id, label }) =>
              runChange({
                send: () => request('DELETE /api/v1/organization/tokens/{id}', { params: { id } }),
                done: `Deleted ${label}.`,
                refetch: [list],
              })
            }
            empty={<p>Create one to read issues or feedback from a script.</p>}
          />
        )}
      </Loaded>
      {isCreating && (
        <CreateDialog
          onClose={() => setCreating(false)}
          onCreated={(created) => {
            setCreating(false)
            setValue(created)
          }}
        />
      )}
      {value !== undefined && (
        <SecretDialog title="The new token" value={value} onClose={() => setValue(undefined)}>
          <CodeBlock
            label="Try it"
            code={`curl -H 'X-API-Key: ${value}' ${location.origin}/api/v1/projects/<project id>/issues`}
          />
        </SecretDialog>
      )}
    </OrganizationPage>
  )
}

interface CreateDialogProps {
  readonly onClose: () => void
  readonly onCreated: (value: string) => void
}

function CreateDialog(props: CreateDialogProps) {
  const [chosen, setChosen] = useState<readonly Scope[]>(['issues:read', 'feedback:read'])
  return (
    <CreateCredentialDialog
      {...props}
      noun="token"
      hint="What uses it, so that you know what breaks when you revoke it."
      days="90"
      create={async (input) => {
        const body = { ...input, scopes: [...chosen] }
        const created = await request('POST /api/v1/organization/tokens', { body })
        await invalidateReads(list)
        return created.value
      }}
      disabled={chosen.length === 0}
      placed={['scopes']}
      fields={(ruleOf) => (
        <fieldset class="fieldset">
          <legend>Scopes</legend>
          {scopes.map(({ scope, label, hint }) => (
            <CheckField
              key={scope}
              label={label}
              hint={hint}
              checked={chosen.includes(scope)}
              onChecked={(isChecked) =>
                setChosen(isChecked ? [...chosen, scope] : chosen.filter((one) => one !== scope))
              }
            />
          ))}
          {ruleOf('scopes') !== undefined && (
            <p class="field-error" role="alert">
              {ruleOf('scopes')}
            </p>
          )}
        </fieldset>
      )}
    />
  )
}
