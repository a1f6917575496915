int main(){return sizeof(long);}
