import { Button } from '../../../design/button.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import { Page, Panel } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { usePages } from '../../../http/use-pages.ts'
import { canWrite } from '../../../session/session.ts'
import { NewsletterName } from '../lists/newsletter-name.tsx'
import { ImportForm } from './import-form.tsx'
import { ImportState, importList } from './import-words.tsx'
import '../lists/email-list.css'

/** Imports a list from a file, and shows the imports so far. */
export function ImportsPage() {
  const pages = usePages(importList, { query: { limit: 20 } }, { topics: ['imports'] })
  return (
    <Page title="Import contacts" parent={{ label: 'Contacts', href: '/email/contacts' }}>
      {canWrite.value ? (
        <ImportForm />
      ) : (
        <EmptyState icon="lock" title="Viewers cannot import">
          <p>Ask an owner for the role member.</p>
        </EmptyState>
      )}
      {pages.problem !== undefined && (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      )}
      {pages.items.length > 0 && (
        <Panel title="Past imports" flush>
          <DataTable
            label="Past imports"
            items={pages.items}
            keyOf={({ id }) => id}
            columns={[
              {
                head: 'Started',
                cell: ({ id, createdAt }) => (
                  <a href={`/email/contacts/import/${id}`}>
                    <Time at={createdAt} />
                  </a>
                ),
              },
              {
                head: 'File',
                secondary: true,
                cell: ({ fileName }) => <span class="email-row-break">{fileName ?? '–'}</span>,
              },
              { head: 'State', cell: (item) => <ImportState item={item} /> },
              {
                head: 'Newsletter',
                secondary: true,
                cell: ({ newsletter }) => <NewsletterName slug={newsletter} />,
              },
              { head: 'Rows', numeric: true, cell: ({ rows }) => formatNumber(rows) },
              { head: 'New', numeric: true, cell: ({ created }) => formatNumber(created) },
              {
                head: 'Refused',
                numeric: true,
                secondary: true,
                cell: ({ refused }) => formatNumber(refused),
              },
              { head: 'By', secondary: true, cell: ({ createdBy }) => createdBy },
            ]}
          />
          {pages.hasMore && (
            <div class="panel-body">
              <Button busy={pages.isLoadingMore} onClick={pages.loadMore}>
                Show more
              </Button>
            </div>
          )}
        </Panel>
      )}
    </Page>
  )
}
