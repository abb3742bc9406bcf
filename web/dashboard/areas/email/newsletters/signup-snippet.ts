/** Code that signs somebody up for a newsletter, to copy. */

export interface SignupSnippet {
  readonly label: string
  readonly code: string
}

/** The address and the slug come from the installation; both are written as JSON or URL text. */
export function signupSnippets(apiUrl: string, slug: string): SignupSnippet[] {
  const url = `${apiUrl}/api/v1/contacts`
  const body = JSON.stringify({ newsletter: slug, email: 'ada@example.com', name: 'Ada' })
  return [
    {
      label: 'curl',
      code: `curl ${url} \\
  -H "Authorization: Bearer $SLUICE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body.replaceAll("'", "'\\''")}'`,
    },
    {
      label: 'Form on your site',
      code: `<form action="/newsletter" method="post">
  <label>Email <input type="email" name="email" required autocomplete="email"></label>
  <button>Subscribe</button>
</form>`,
    },
    {
      label: 'Your server, which receives the form',
      code: `// POST /newsletter. The API key stays on the server.
const reply = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.SLUICE_API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ newsletter: ${JSON.stringify(slug)}, email: form.email, ip: visitorAddress }),
})
if (!reply.ok) throw new Error((await reply.json()).error)`,
    },
  ]
}
