-- What lists of conversations are filtered by. Each index holds only rows that have the thing, so that a message of a new
-- sender costs one entry more at most.

create index conversations_by_channel on conversations (channel_id, id) where channel_id is not null;
create index conversations_by_folder on conversations (workspace_id, folder, id) where folder is not null;
-- In the order of the list: under row-level security the server uses no GIN index for "contains the tag".
create index conversations_tagged on conversations (workspace_id, id) where tags <> '{}';
