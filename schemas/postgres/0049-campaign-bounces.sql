-- The bounces of one campaign: the reference of an email of a campaign begins with the campaign's id (schemas/mail/bounce-ref.ts).
create index bounce_reports_by_email on bounce_reports (organization_id, (message_ref collate "C")) where message_ref is not null;

-- Who left by a link of a campaign.
create index contact_events_left_by_campaign on contact_events ((details ->> 'campaignId'), at desc, id desc)
  where kind = 'unsubscribed' and details ? 'campaignId';
