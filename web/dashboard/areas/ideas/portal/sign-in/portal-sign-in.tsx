import { CodeBlock } from '../../../../design/content/copy.tsx'
import { Panel, Tabs } from '../../../../design/content/page.tsx'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import type { PortalTabProps } from '../portal-settings.ts'
import { PortalSecrets } from './portal-secrets.tsx'
import { tokenSnippets } from './token-snippets.ts'
import { TokenTester } from './token-tester.tsx'

/** The three steps of signing users in: a secret, a program that signs, a test of its token. */
export function PortalSignIn({ projectId, settings }: PortalTabProps) {
  return (
    <div class="stack portal-sign-in">
      <p class="small soft portal-lead">
        Your server signs who its user is, so that the portal knows voters without a login of its
        own. {settings.enduser_auth ? 'Writes need such a token.' : 'Tokens are optional so far;'}{' '}
        {!settings.enduser_auth && (
          <>
            require them under <a href={`${location.pathname}?tab=rules`}>Rules</a>.
          </>
        )}
      </p>
      <PortalSecrets projectId={projectId} />
      <Panel title="2. Sign a token on your server">
        <Snippets />
      </Panel>
      <TokenTester projectId={projectId} liveSecrets={settings.live_secrets} />
    </div>
  )
}

function Snippets() {
  const { get } = useSearchParams()
  const wanted = get('language')
  const snippet =
    tokenSnippets.find(({ name }) => name.toLowerCase() === wanted) ?? tokenSnippets[0]!
  return (
    <div class="stack">
      <Tabs
        label="Languages"
        tabs={tokenSnippets.map(({ name }) => ({
          label: name,
          href: `${location.pathname}?tab=sign-in&language=${name.toLowerCase()}`,
          current: name === snippet.name,
        }))}
      />
      <CodeBlock label={snippet.name} code={snippet.code} />
      <p class="soft small">
        <code>sub</code> and <code>exp</code> (at most 30 days ahead) are required;{' '}
        <code>email</code>, <code>name</code> and <code>project_key</code> are optional. Pass the
        token on as <code>data-token</code> of the embedded portal, or as <code>?token=</code> of
        its page.
      </p>
    </div>
  )
}
