create schema if not exists mailbox;
