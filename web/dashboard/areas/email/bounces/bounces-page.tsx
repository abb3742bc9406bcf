import type { ComponentChildren } from 'preact'
import { Page, Tabs } from '../../../design/content/page.tsx'
import { EmptyState } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { SearchField } from '../../../design/forms/search-field.tsx'
import { usePages } from '../../../http/use-pages.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { choicesOf, FilterSelect, oneOf } from '../lists/filter-select.tsx'
import { PagedList } from '../lists/paged-list.tsx'
import { type Bounce, BounceType, bounceCauses, bounceTypes } from './bounce-words.tsx'
import { ProviderHooks } from './provider-hooks.tsx'

const refreshMs = 30_000

const head = {
  row: 'email-row email-bounce-row',
  columns: [
    'Address',
    'Type',
    'Cause',
    { label: 'Reported', class: 'email-row-at email-row-extra' },
  ],
}

/** Emails that came back and complaints, and the hooks through which providers report them. */
export function BouncesPage() {
  const params = useSearchParams()
  const showsHooks = params.get('tab') === 'hooks'
  const tabs = (
    <Tabs
      label="Bounces"
      tabs={[
        { label: 'Reports', href: '/email/bounces', current: !showsHooks },
        { label: 'Provider hooks', href: '/email/bounces?tab=hooks', current: showsHooks },
      ]}
    />
  )
  return showsHooks ? <ProviderHooks tabs={tabs} /> : <Reports tabs={tabs} />
}

function Reports({ tabs }: { readonly tabs: ComponentChildren }) {
  const params = useSearchParams()
  const type = oneOf(bounceTypes, params.get('type'))
  const cause = oneOf(bounceCauses, params.get('cause'))
  const search = params.get('query')
  const filter = {
    ...(type === undefined ? {} : { type }),
    ...(cause === undefined ? {} : { cause }),
    ...(search === undefined ? {} : { query: search }),
  }
  const pages = usePages(
    'GET /api/v1/admin/email/bounces',
    { query: { limit: 100, ...filter } },
    { keepPrevious: true, refetchEveryMs: refreshMs },
  )
  return (
    <Page
      title="Bounces"
      wide
      bar={
        <>
          <div class="email-bar-tabs">{tabs}</div>
          <SearchField
            label="Search bounces"
            placeholder="Search address"
            value={search ?? ''}
            onText={(query) => params.set({ query }, 'replace')}
          />
          <FilterSelect name="type" label="Type" all="All types" choices={choicesOf(bounceTypes)} />
          <FilterSelect
            name="cause"
            label="Cause"
            all="All causes"
            choices={choicesOf(bounceCauses)}
          />
        </>
      }
    >
      <PagedList
        label="Bounces"
        head={head}
        pages={pages}
        keyOf={({ id }) => id}
        rowHeight={58}
        isFiltered={Object.keys(filter).length > 0}
        empty={
          <EmptyState icon="undo" title="No bounces">
            <p>
              Bounces are read from replies of your mail server. A provider reports the others:
              create a <a href="/email/bounces?tab=hooks">provider hook</a>.
            </p>
          </EmptyState>
        }
        renderRow={(bounce) => <Row bounce={bounce} />}
      />
    </Page>
  )
}

function Row({ bounce }: { readonly bounce: Bounce }) {
  const { email, cause, excerpt, source, at } = bounce
  return (
    <div class="email-row email-bounce-row">
      <div>
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
        <div class="soft small">{source === null ? '' : `Reported by ${source}`}</div>
      </div>
      <BounceType bounce={bounce} />
      <div class="email-row-full">
        <div>{cause === null ? 'Reported without a cause' : bounceCauses[cause]}</div>
        {excerpt !== null && <div class="soft mono email-row-break">{excerpt}</div>}
      </div>
      <span class="email-row-at soft email-row-extra">
        <Time at={at} />
      </span>
    </div>
  )
}
