/** The email of the mail benchmark: about 8 KiB of HTML, personalised in five places. */
import type { FrozenCampaign } from '#schemas/mail/frozen-campaign.ts'

const paragraph =
  '<p style="margin:0 0 16px;font:16px/1.5 Georgia,serif;color:#222">This month we moved the whole workshop to the new hall, sorted the tools, and found three chairs that nobody had missed. The “old” lathe stays where it is — it works.</p>'
const htmlParagraphs = `${paragraph}\n`.repeat(30)
const textParagraphs =
  'This month we moved the whole workshop to the new hall, sorted the tools, and found three chairs.\n\n'.repeat(
    12,
  )

export const benchCampaign: FrozenCampaign = {
  email: {
    subject: ['News of November for ', { value: 'name', fallback: 'you', context: 'header' }],
    html: [
      '<!doctype html><html><body><p>Hello ',
      { value: 'name', fallback: 'there', context: 'html' },
      ' in ',
      { value: 'attr.city', fallback: 'your town', context: 'html' },
      `,</p>${htmlParagraphs}<p><a href="`,
      { link: 'unsubscribe', context: 'attribute' },
      '">Unsubscribe</a></p></body></html>',
    ],
    text: [
      'Hello ',
      { value: 'name', fallback: 'there', context: 'text' },
      `,\n\n${textParagraphs}`,
      { link: 'unsubscribe', context: 'text' },
      '\n',
    ],
  },
  fromName: 'The News',
  fromAddress: 'news@sender.test',
  replyTo: 'editor@sender.test',
  newsletterSlug: 'news',
  newsletterName: 'The News',
  trackOpens: false,
  trackClicks: false,
}

/** The fields that the product signs. */
export const signedFields =
  'from:to:reply-to:subject:date:message-id:mime-version:content-type:list-id:list-unsubscribe:list-unsubscribe-post:feedback-id'

/** The rendered email for the baseline. */
export function benchEmail(index: number) {
  const name = `Reader${index}`
  const link = `https://mail.example.test/u/${String(index).padStart(66, 'x')}`
  return {
    from: { name: 'The News', address: 'news@sender.test' },
    to: { name, address: `reader${index}@domain${index % 400}.test` },
    replyTo: 'editor@sender.test',
    subject: `News of November for ${name}`,
    messageId: `<c${String(index).padStart(52, 'a')}@sender.test>`,
    envelope: {
      from: `b+c${String(index).padStart(52, 'a')}@bounces.sender.test`,
      to: `reader${index}@domain${index % 400}.test`,
    },
    headers: {
      'List-Unsubscribe': `<${link}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'List-Id': '"The News" <news.sender.test>',
      'Feedback-ID': 'campaign:newsletter:organization:sluice',
    },
    html: `<!doctype html><html><body><p>Hello ${name} in Köln,</p>${htmlParagraphs}<p><a href="${link}">Unsubscribe</a></p></body></html>`,
    text: `Hello ${name},\n\n${textParagraphs}${link}\n`,
  }
}

/** The same email with about 10 KB of HTML, for the costs of a campaign. */
export const largeBenchCampaign: FrozenCampaign = {
  ...benchCampaign,
  email: {
    ...benchCampaign.email,
    html: [
      ...benchCampaign.email.html.slice(0, -3),
      `${paragraph}\n`.repeat(7),
      ...benchCampaign.email.html.slice(-3),
    ],
  },
}
