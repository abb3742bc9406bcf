import { passwordCharactersMax } from '#schemas/rest/person.ts'
import type { StoredLogin } from '../logins/login-store.ts'
import { type Html, html } from '../portal/page/html.ts'
import type { PageOrganization } from './page-project-store.ts'
import { csrfField, type TeamPage } from './send-page.ts'

export interface LoginPage {
  readonly status?: number
  /** Why the form is shown again. */
  readonly problem?: string | undefined
  readonly notice?: string
  readonly email?: string
}

/** Shows nothing of what the path names, and whether it exists. */
export function loginPage({ status = 401, problem, notice, email = '' }: LoginPage): TeamPage {
  return {
    status,
    title: 'Log in',
    main: html`<div class="card narrow"><h1>Log in</h1>
${problem === undefined ? html`<p>${notice ?? 'Log in to see this page.'}</p>` : problemLine(problem)}
<form method="post">
<label>Email<input type="email" name="email" required maxlength="254" autocomplete="username" value="${email}"></label>
<label>Password<input type="password" name="password" required maxlength="${passwordCharactersMax}" autocomplete="current-password"></label>
<button class="act" name="action" value="login">Log in</button>
<button class="link" name="action" value="forgotten" formnovalidate>Forgot the password?</button>
</form></div>`,
  }
}

/** For a person who belongs to the organization of the page, and is logged in to another one. */
export function switchPage(login: StoredLogin, { name }: PageOrganization): TeamPage {
  return {
    status: 404,
    title: 'Another organization',
    login,
    main: html`<div class="card narrow"><h1>Another organization</h1>
<p>This page belongs to <strong><bdi>${name}</bdi></strong>, and you are logged in to another organization of yours.</p>
<form method="post">${csrfField(login)}<button class="act" name="action" value="switch">Switch to <bdi>${name}</bdi></button></form></div>`,
  }
}

export function problemPage(status: number, sentence: string, login?: StoredLogin): TeamPage {
  const title = status === 404 ? 'Not found' : 'This did not work'
  return {
    status,
    title,
    login,
    main: html`<div class="card narrow"><h1>${title}</h1>${problemLine(sentence)}</div>`,
  }
}

export function problemLine(sentence: string): Html {
  return html`<p class="problem" role="alert">${sentence}</p>`
}
