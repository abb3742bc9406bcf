import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { Page } from '../../../design/content/page.tsx'
import { EmptyState } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { SearchField } from '../../../design/forms/search-field.tsx'
import { Menu } from '../../../design/overlays/menu.tsx'
import { hrefOf } from '../../../http/request.ts'
import { usePages } from '../../../http/use-pages.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { choicesOf, FilterSelect, oneOf } from '../lists/filter-select.tsx'
import { PagedList } from '../lists/paged-list.tsx'
import { AddSuppressionDialog } from './add-suppression-dialog.tsx'
import { ImportSuppressionsDialog } from './import-suppressions-dialog.tsx'
import { LiftDialog } from './lift-dialog.tsx'
import { LiftMatchingDialog } from './lift-matching-dialog.tsx'
import {
  causeTones,
  type Suppression,
  suppressionCauses,
  suppressionList,
} from './suppression-words.ts'

type Asked =
  | { readonly kind: 'add' | 'import' | 'lift-matching' }
  | { readonly kind: 'lift'; readonly suppression: Suppression }

const exportOperation = 'GET /api/v1/admin/email/suppressions/export'
const refreshMs = 30_000

const head = {
  row: 'email-row email-suppression-row',
  columns: [
    'Address',
    'Cause',
    'Source',
    { label: 'Suppressed', class: 'email-row-at email-row-extra' },
    '',
  ],
}

/** Addresses to which no newsletter of the organization sends. */
export function SuppressionsPage() {
  const params = useSearchParams()
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const cause = oneOf(suppressionCauses, params.get('cause'))
  const source = params.get('source')
  const search = params.get('query')
  const filter = {
    ...(cause === undefined ? {} : { cause }),
    ...(source === undefined ? {} : { source }),
    ...(search === undefined ? {} : { query: search }),
  }
  const pages = usePages(
    suppressionList,
    { query: { limit: 100, ...filter } },
    { keepPrevious: true, refetchEveryMs: refreshMs },
  )
  useShortcuts([
    {
      keys: 'n',
      label: 'Suppress an address',
      run: () => canWrite.value && setAsked({ kind: 'add' }),
    },
  ])
  return (
    <Page
      title="Suppressions"
      wide
      actions={
        canWrite.value && (
          <>
            <Menu
              label="More"
              icon="more"
              hideLabel
              kind="quiet"
              actions={[
                {
                  label: 'Import…',
                  icon: 'upload',
                  run: () => setAsked({ kind: 'import' }),
                },
                {
                  label: 'Export CSV',
                  icon: 'download',
                  run: () => location.assign(hrefOf(exportOperation, { query: filter })),
                },
                {
                  label: 'Lift many…',
                  icon: 'undo',
                  run: () => setAsked({ kind: 'lift-matching' }),
                },
              ]}
            />
            <Button kind="primary" icon="plus" onClick={() => setAsked({ kind: 'add' })}>
              Suppress an address
            </Button>
          </>
        )
      }
      bar={
        <>
          <SearchField
            label="Search suppressions"
            placeholder="Search address"
            value={search ?? ''}
            onText={(query) => params.set({ query }, 'replace')}
          />
          <FilterSelect
            name="cause"
            label="Cause"
            all="All causes"
            choices={choicesOf(suppressionCauses)}
          />
          {source !== undefined && (
            <Button size="s" icon="close" onClick={() => params.set({ source: undefined })}>
              {`Source: ${source}`}
            </Button>
          )}
        </>
      }
    >
      <PagedList
        label="Suppressions"
        head={head}
        pages={pages}
        keyOf={({ id }) => id}
        rowHeight={46}
        isFiltered={Object.keys(filter).length > 0}
        empty={
          <EmptyState icon="block" title="No address is suppressed">
            <p>
              Hard bounces, complaints and three soft bounces in a row suppress an address. Import
              the list of your previous service, so that nobody on it gets an email.
            </p>
            {canWrite.value && (
              <Button icon="upload" onClick={() => setAsked({ kind: 'import' })}>
                Import a list
              </Button>
            )}
          </EmptyState>
        }
        renderRow={(suppression) => (
          <Row suppression={suppression} onLift={() => setAsked({ kind: 'lift', suppression })} />
        )}
      />
      {asked?.kind === 'add' && <AddSuppressionDialog onClose={close} />}
      {asked?.kind === 'import' && <ImportSuppressionsDialog onClose={close} />}
      {asked?.kind === 'lift-matching' && (
        <LiftMatchingDialog cause={cause} source={source} onClose={close} />
      )}
      {asked?.kind === 'lift' && <LiftDialog suppression={asked.suppression} onClose={close} />}
    </Page>
  )
}

function Row({
  suppression,
  onLift,
}: {
  readonly suppression: Suppression
  readonly onLift: () => void
}) {
  const params = useSearchParams()
  const { email, cause, source, suppressedAt } = suppression
  return (
    <div class="email-row email-suppression-row">
      {email === null ? (
        <span class="soft">Erased address</span>
      ) : (
        <a
          class="email-row-name truncate"
          href={`/email/contacts?query=${encodeURIComponent(email)}`}
        >
          {email}
        </a>
      )}
      <span>
        <Badge tone={causeTones[cause]}>{suppressionCauses[cause]}</Badge>
      </span>
      <span class="truncate">
        {source !== null && (
          <button
            type="button"
            class="email-link-button truncate"
            title={`Show only: ${source}`}
            onClick={() => params.set({ source })}
          >
            {source}
          </button>
        )}
      </span>
      <span class="email-row-at soft email-row-extra">
        <Time at={suppressedAt} />
      </span>
      {canWrite.value && email !== null ? (
        <Button size="s" aria-label={`Lift the suppression of ${email}`} onClick={onLift}>
          Lift…
        </Button>
      ) : (
        <span />
      )}
    </div>
  )
}
