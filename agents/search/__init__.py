"""agents/search"""
