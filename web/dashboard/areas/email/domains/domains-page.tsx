import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import { Page, Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { useRead } from '../../../http/use-read.ts'
import { isOwner } from '../../../session/session.ts'
import { AddDomainDialog } from './add-domain-dialog.tsx'
import { DomainState, domainList } from './domain-words.tsx'

/** The domains of From addresses. */
export function DomainsPage() {
  const domains = useRead(domainList, {})
  const { route } = useLocation()
  const [isAdding, setAdding] = useState(false)
  return (
    <Page
      title="Sending domains"
      {...(isOwner.value ? {} : { meta: 'Only owners add and delete domains.' })}
      actions={
        isOwner.value && (
          <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
            Add a domain
          </Button>
        )
      }
    >
      <Loaded read={domains}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="globe" title="No sending domains yet">
              <p>
                Newsletters send from addresses of verified domains. Add the domain of your From
                address and publish its DNS records: then its emails are signed, and mailboxes trust
                them.
              </p>
              {isOwner.value && (
                <Button icon="plus" onClick={() => setAdding(true)}>
                  Add a domain
                </Button>
              )}
            </EmptyState>
          ) : (
            <Panel flush>
              <DataTable
                label="Sending domains"
                items={items}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: 'Domain',
                    cell: ({ id, domain }) => <a href={`/email/domains/${id}`}>{domain}</a>,
                  },
                  { head: 'State', cell: (domain) => <DomainState domain={domain} /> },
                  {
                    head: 'Records found',
                    numeric: true,
                    secondary: true,
                    cell: ({ records, checks }) => {
                      const required = records.filter((record) => record.required)
                      const passed = required.filter(({ use }) =>
                        checks?.some((check) => check.use === use && check.state === 'pass'),
                      )
                      return `${passed.length} of ${required.length}`
                    },
                  },
                  {
                    head: 'Checked',
                    secondary: true,
                    cell: ({ checkedAt }) => <Time at={checkedAt} />,
                  },
                  {
                    head: 'Reason',
                    secondary: true,
                    cell: ({ stateReason }) => <span class="soft">{stateReason ?? ''}</span>,
                  },
                ]}
              />
            </Panel>
          )
        }
      </Loaded>
      {isAdding && (
        <AddDomainDialog
          onClose={() => setAdding(false)}
          onAdded={(id) => route(`/email/domains/${id}`)}
        />
      )}
    </Page>
  )
}
