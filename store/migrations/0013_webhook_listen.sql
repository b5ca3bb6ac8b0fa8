-- Channels name no address to listen on any more: one listener takes the webhooks of all. What they named is dropped.

update channels set config = config #- '{webhook,listen}', updated_at = now()
where adapter = 'chatapp' and config #> '{webhook,listen}' is not null;
